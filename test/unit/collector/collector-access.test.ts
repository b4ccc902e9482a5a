import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { exposureProblem } from '../../../collector/access';
import { temporaryCollector } from '../helpers/empty-store';
import { main } from '../../../cli/main';
import { secretFrom } from '../../../cli/io/secrets';
import { EVENT_LEVEL, freshReport, post } from '../helpers/collector-client';

const token = 'correct horse battery staple'.replaceAll(' ', '-');

const SOURCES = `source_event_id,reporting_origin,source_type,destination,time,registration
1,https://ads.example,event,https://shop.example,2026-01-09T10:00:00Z,{}
`;

/** A body that is not read keeps its connection. */
async function whole(asked: Promise<Response>): Promise<Response> {
  const answer = await asked;
  const { status, headers } = answer;
  return new Response((await answer.text()) || null, { status, headers });
}

describe('with a token', () => {
  let app: FastifyInstance;
  let origin: string;

  beforeAll(async () => {
    app = await temporaryCollector({ token });
    origin = await app.listen({ port: 0, host: '127.0.0.1' });
  });

  afterAll(() => app.close());

  const get = (path: string, headers = {}): Promise<Response> =>
    whole(fetch(origin + path, { headers, redirect: 'manual' }));

  test('anybody may send a report and ask whether the collector is well', async () => {
    expect((await post(origin + EVENT_LEVEL, freshReport())).status).toBe(200);
    expect((await get('/healthz')).status).toBe(200);
  });

  test('nobody may ask for ever whether it is well, which costs no reports', async () => {
    const statuses = new Set<number>();
    for (let asked = 0; asked < 620; asked++) {
      const { status } = await get('/healthz');
      statuses.add(status);
    }
    expect([...statuses].sort()).toEqual([200, 429]);
    expect((await post(origin + EVENT_LEVEL, freshReport())).status).toBe(200);
  });

  test.each([
    '/',
    '/reports',
    '/counts',
    '/dimensions',
    '/statistics',
    '/estimates',
    '/sources',
    '/training',
    '/metrics',
    '/openapi.json',
  ])('%s needs it', async (path) => {
    for (const authorization of [
      '',
      'Bearer',
      `Bearer ${token}x`,
      `Bearer ${token.slice(1)}`,
      `Basic ${token}`,
    ])
      expect((await get(path, { Authorization: authorization })).status).toBe(401);
    expect((await get(path, { Authorization: `Bearer ${token}` })).status).toBe(200);
  });

  test('the token of the source log adds to it, and does nothing else', async () => {
    const sourceLogToken = 'only-for-the-ad-server';
    const shared = await temporaryCollector({ token, sourceLogToken });
    const at = await shared.listen({ port: 0, host: '127.0.0.1' });
    const ask = async (method: string, path: string, authorization: string): Promise<number> => {
      const headers = { Authorization: authorization, 'Content-Type': 'text/csv' };
      const body = method === 'POST' ? { body: SOURCES } : {};
      return (await whole(fetch(at + path, { method, headers, redirect: 'manual', ...body }))).status;
    };
    expect(await ask('POST', '/sources', `Bearer ${sourceLogToken}`)).toBe(200);
    expect(await ask('POST', '/sources', `Bearer ${sourceLogToken}x`)).toBe(401);
    for (const path of ['/', '/sources', '/reports', '/training', '/estimates', '/metrics', '/none'])
      expect(await ask('GET', path, `Bearer ${sourceLogToken}`)).toBe(401);
    expect(await ask('GET', '/sources', `Bearer ${token}`)).toBe(200);
    await shared.close();
  });

  test('a path that is not there answers the same to the right token, a wrong one and none', async () => {
    const answer = async (authorization: string): Promise<unknown> => {
      const response = await get('/none', { Authorization: authorization });
      return [response.status, await response.text()];
    };
    const toNone = await answer('');
    expect(toNone).toEqual([401, expect.stringContaining('or there is nothing at this path')]);
    expect(await answer(`Bearer ${token}`)).toEqual(toNone);
    expect(await answer(`Bearer ${token}x`)).toEqual(toNone);
  });

  test('tries of wrong tokens are limited, on paths that are there and on others', async () => {
    const limited = await temporaryCollector({ token, rateLimit: 10 });
    const address = await limited.listen({ port: 0, host: '127.0.0.1' });
    const statuses = [];
    for (const path of ['/none', '/reports', '/none/at/all']) {
      for (let tries = 0; tries < 5; tries++) {
        const headers = { Authorization: `Bearer ${token}${tries}` };
        statuses.push((await whole(fetch(address + path, { headers }))).status);
      }
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), ...Array<number>(5).fill(429)]);
    await limited.close();
  });

  test('the style of the form for it does not, nor what draws the page', async () => {
    for (const file of ['dashboard.css', 'dashboard.js']) {
      const answer = await get(`/assets/${file}`);
      expect(answer.status).toBe(200);
      // What is not read keeps the connection open.
      expect(await answer.text()).not.toBe('');
    }
  });

  test('so does logging sources', async () => {
    const type = { 'Content-Type': 'application/x-ndjson' };
    expect((await post(`${origin}/sources`, '', type)).status).toBe(401);
  });

  test('a browser is sent to the form, which gives a session', async () => {
    const html = { Accept: 'text/html' };
    expect((await get('/', html)).headers.get('Location')).toBe('/login');
    expect(await (await get('/login')).text()).toContain('type="password"');
    const logIn = (given: string): Promise<Response> =>
      fetch(`${origin}/login`, {
        method: 'POST',
        body: new URLSearchParams({ token: given }),
        redirect: 'manual',
      });
    expect((await logIn('wrong')).status).toBe(401);
    const cookie = (await logIn(token)).headers.get('Set-Cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
    expect(cookie).not.toContain(token);
    const [session = ''] = cookie.split(';');
    expect((await get('/', { Cookie: session })).status).toBe(200);
    const [name = '', value = ''] = session.split('=');
    const [end = '', signature = ''] = value.split('.');
    const later = `${Number(end) + 1}.${signature}`;
    expect((await get('/', { Cookie: `${name}=${later}` })).status).toBe(401);
  });
});

test('no answer but that to a report may be kept by a cache or read by another site', async () => {
  const app = await temporaryCollector({ token });
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  const keeping = {
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
  const logIn = (given: string): Promise<Response> =>
    fetch(`${origin}/login`, {
      method: 'POST',
      body: new URLSearchParams({ token: given }),
      redirect: 'manual',
    });
  const html = { headers: { Accept: 'text/html' }, redirect: 'manual' } as const;
  const answers: readonly (readonly [number, Promise<Response>])[] = [
    [303, logIn(token)],
    [401, logIn('wrong')],
    [303, fetch(`${origin}/`, html)],
    [401, fetch(`${origin}/reports`)],
    [200, fetch(`${origin}/login`)],
    [400, post(origin + EVENT_LEVEL, '{')],
  ];
  for (const [status, asked] of answers) {
    const { status: given, headers } = await whole(asked);
    expect(given).toBe(status);
    expect(Object.fromEntries(headers)).toMatchObject(keeping);
  }
  const { status, headers } = await post(origin + EVENT_LEVEL, freshReport());
  expect(status).toBe(200);
  expect(Object.keys(keeping).filter((name) => headers.has(name))).toEqual([]);
  await app.close();
});

describe('without a token', () => {
  let app: FastifyInstance;
  let origin: string;

  beforeAll(async () => {
    app = await temporaryCollector();
    origin = await app.listen({ port: 0, host: '127.0.0.1' });
  });

  afterAll(() => app.close());

  test('a name that is not of this machine reads nothing, though reports may be sent to it', async () => {
    const status = (host: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const asked = request(new URL('/reports', origin), { headers: { Host: host } }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        asked.on('error', reject).end();
      });
    expect(await status('rebound.example')).toBe(403);
    for (const host of ['localhost', 'collector.localhost:80', '127.0.0.1:8090', '[::1]:80'])
      expect(await status(host)).toBe(200);
  });

  test('what comes by a proxy of this machine reads nothing, though it may send reports', async () => {
    for (const [header, value] of [
      ['Forwarded', 'for=192.0.2.1'],
      ['Via', '1.1 proxy'],
      ['X-Forwarded-For', '192.0.2.1'],
      ['X-Forwarded-Proto', 'https'],
      ['X-Real-IP', '192.0.2.1'],
    ] as const) {
      const refused = await whole(fetch(`${origin}/reports`, { headers: { [header]: value } }));
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({ path: header.toLowerCase() });
      expect((await post(origin + EVENT_LEVEL, freshReport(), { [header]: value })).status).toBe(200);
    }
    expect((await whole(fetch(`${origin}/reports`))).status).toBe(200);
  });

  test('other sites read nothing, though a link may lead to the dashboard', async () => {
    const ask = (path: string, headers: Record<string, string>, method = 'GET'): Promise<[number, unknown]> =>
      // Node's fetch would set Sec-Fetch-Mode itself.
      new Promise((resolve, reject) => {
        const asked = request(new URL(path, origin), { headers, method }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => (text += part));
          response.on('end', () => resolve([response.statusCode ?? 0, text]));
        });
        asked.on('error', reject).end();
      });
    for (const site of ['cross-site', 'same-site'])
      for (const path of ['/', '/reports', '/training?format=csv', '/metrics', '/none']) {
        const refused = [403, expect.stringContaining('"path":"Sec-Fetch-Site"')];
        expect(await ask(path, { 'Sec-Fetch-Site': site })).toEqual(refused);
        const framed = { 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' };
        expect(await ask(path, framed)).toEqual(refused);
        const followed = { ...framed, 'Sec-Fetch-Dest': 'document' };
        if (path === '/') expect((await ask(path, followed))[0]).toBe(200);
        else expect(await ask(path, followed)).toEqual(refused);
      }
    expect((await ask('/sources', { 'Sec-Fetch-Site': 'cross-site' }, 'POST'))[0]).toBe(403);
    for (const site of ['same-origin', 'none'])
      expect((await ask('/reports', { 'Sec-Fetch-Site': site }))[0]).toBe(200);
    expect((await ask('/reports', {}))[0]).toBe(200);
    expect((await ask('/healthz', { 'Sec-Fetch-Site': 'cross-site' }))[0]).toBe(200);
    const report = freshReport();
    expect((await post(origin + EVENT_LEVEL, report, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(200);
  });
});

describe('whether a collector may be started', () => {
  test.each<[host: string, token: string | null, trustProxy: string | null, problem: RegExp | null]>([
    ['127.0.0.1', null, null, null],
    ['127.0.0.1', null, '127.0.0.1', /--trust-proxy 127\.0\.0\.1.* --token/],
    ['127.0.0.1', token, '127.0.0.1', null],
    ['localhost', null, null, null],
    ['::1', null, null, null],
    ['0.0.0.0', null, null, /--token/],
    ['::', null, null, /--token/],
    ['192.0.2.1', null, null, /--token/],
    ['0.0.0.0', token, null, null],
    ['0.0.0.0', 'short', null, /at least 16/],
    ['127.0.0.1', 'has a space in it, and more', null, /no space/],
  ])('on %s with token %p, behind %p', (host, given, trustProxy, problem) => {
    const found = exposureProblem(host, { owner: given, sourceLog: null }, trustProxy);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toMatch(problem);
  });

  test.each([
    [['--port', '0', '--store', 'memory://', '--host', '0.0.0.0'], /collect: --host 0\.0\.0\.0 .*--token/],
    [
      ['--port', '0', '--store', 'memory://', '--trust-proxy', '127.0.0.1'],
      /collect: --trust-proxy 127\.0\.0\.1: .*--token/,
    ],
    [['--port', '0'], /collect: --store: must be given/],
    [['--port', 'x', '--store', 'memory://'], /collect: --port: must be a whole number/],
    [['--port', '0', '--store', '/dev/null/x/y'], /collect: --store \/dev\/null\/x\/y: /],
    [['--port', '0', '--store', 'mysql://u:secret@x'], /collect: --store mysql:…: .*folder or postgres/],
    [
      ['--port', '0', '--store', 'postgres://u:sec/ret@127.0.0.1:1/x'],
      /collect: --store postgres:\/\/…: must have its user and password percent-encoded/,
    ],
    [
      ['--port', '0', '--store', 'postgres://u:secret@127.0.0.1:1/x'],
      /collect: --store postgres:\/\/u@127\.0\.0\.1:1\/x: /,
    ],
    [
      ['--port', '0', '--store', 'memory://', '--token-file', '/nowhere/token'],
      /collect: --token-file: \/nowhere\/token: .*no such file/,
    ],
  ])('the command with %j says in one line why not, and exits with 2', async (options, message) => {
    const written: string[] = [];
    const write = jest
      .spyOn(process.stderr, 'write')
      .mockImplementation((text) => (written.push(String(text)), true));
    const code = await main(['collect', ...options]);
    write.mockRestore();
    expect(code).toBe(2);
    expect(written).toEqual([expect.stringMatching(message)]);
    expect(written.join('').trim()).not.toMatch(/\n|sec|ret\b/);
  });

  test('a token of the source log needs another for the owner', () => {
    expect(exposureProblem('127.0.0.1', { owner: null, sourceLog: token }, null)).toMatch(/of the owner/);
    expect(exposureProblem('127.0.0.1', { owner: token, sourceLog: token }, null)).toMatch(/must differ/);
    expect(exposureProblem('127.0.0.1', { owner: token, sourceLog: 'short' }, null)).toMatch(/at least 16/);
  });

  test('a secret is read from a file or the environment, but not from both', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-token-'));
    const file = path.join(folder, 'token');
    writeFileSync(file, `${token}\n`, { mode: 0o600 });
    expect(secretFrom('token-file', file, 'COINTOSS_NONE')).toBe(token);
    process.env['COINTOSS_NONE'] = token;
    expect(secretFrom('token-file', undefined, 'COINTOSS_NONE')).toBe(token);
    expect(() => secretFrom('token-file', file, 'COINTOSS_NONE')).toThrow(/COINTOSS_NONE is set, too/);
    delete process.env['COINTOSS_NONE'];
    writeFileSync(file, ' \n');
    expect(() => secretFrom('token-file', file, 'COINTOSS_NONE')).toThrow(/is empty/);
    rmSync(folder, { recursive: true });
  });
});
