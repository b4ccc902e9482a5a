import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { connect, type AddressInfo } from 'node:net';
import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { temporaryCollector } from '../helpers/empty-store';
import {
  EVENT_LEVEL,
  freshReport,
  linesAt,
  metric,
  post,
  report,
  VERBOSE,
} from '../helpers/collector-client';
import { isLong } from '../helpers/is-long';

let app: FastifyInstance;
let origin: string;

/** What it writes into its log. */
let logged: string[];

beforeAll(async () => {
  logged = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => logged.push(String(text)) > 0);
  app = await temporaryCollector({ debugReports: true, logger: true });
  origin = await app.listen({ port: 0, host: '127.0.0.1' });
});

afterAll(async () => {
  await app.close();
  jest.restoreAllMocks();
});

test('its log has nothing that a terminal obeys', () => {
  const hostile = '\u001b]0;owned\u0007\u009b2J\u202e';
  app.log.error(new Error(hostile), hostile);
  const line = logged.at(-1)?.trimEnd() ?? '';
  // oxlint-disable-next-line no-control-regex -- they are looked for
  expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  expect(JSON.parse(line)).toMatchObject({ msg: hostile, err: { message: hostile } });
});

test('each error in it has the number of its request', async () => {
  const failing = await temporaryCollector({ logger: true });
  failing.get('/fails', () => {
    throw new Error('gone');
  });
  const address = await failing.listen({ port: 0, host: '127.0.0.1' });
  for (let times = 0; times < 2; times++) {
    const answer = await fetch(`${address}/fails`);
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('did not answer')]);
  }
  await failing.close();
  const lines = logged
    .filter((line) => line.includes('gone'))
    .map((line) => JSON.parse(line) as { reqId: unknown; err: unknown });
  expect(lines).toMatchObject([{ err: { message: 'gone' } }, { err: { message: 'gone' } }]);
  expect(new Set(lines.map(({ reqId }) => typeof reqId))).toEqual(new Set(['string']));
  expect(lines[0]?.reqId).not.toEqual(lines[1]?.reqId);
});

/** What the server answers on a connection of which we do not close our side. */
async function rawAnswer(text: string | Buffer): Promise<string> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined); // it may be cut off while we still send
  let answer = '';
  socket.setEncoding('latin1').on('data', (part: string) => (answer += part));
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

async function refusals(): Promise<Record<string, number>> {
  return metric(origin, 'cointoss_refused_total');
}

const withLength = (body: string, length = Buffer.byteLength(body)): string =>
  `POST ${EVENT_LEVEL} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;

test.each([
  ['/sources', 'text/csv'],
  ['/sources', 'application/x-ndjson'],
  ['/summaries', 'application/x-ndjson'],
  ['/histograms', 'application/x-ndjson'],
  ['/reach', 'application/x-ndjson'],
  ['/login', 'application/x-www-form-urlencoded'],
  [EVENT_LEVEL, 'application/json'],
])('a compressed body to %s as %s is told what it must be', async (path, type) => {
  const answer = await fetch(origin + path, {
    method: 'POST',
    body: new Blob([gzipSync('{}\n')]),
    headers: { 'Content-Type': type, 'Content-Encoding': 'gzip' },
  });
  expect([answer.status, await answer.json()]).toEqual([
    415,
    { error: 'the body must come without Content-Encoding, was gzip', path: '', reason: 'content-encoding' },
  ]);
});

test('identity is no compression', async () => {
  const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'Identity' };
  const body = JSON.stringify(freshReport());
  expect((await fetch(origin + EVENT_LEVEL, { method: 'POST', body, headers })).status).toBe(200);
});

describe('each is answered with 4xx and a reason, counted, and not stored', () => {
  const json = { 'Content-Type': 'application/json' };
  test.each<[reason: string, status: number, body: string | Blob, headers?: Record<string, string>]>([
    ['not-json', 400, '{"report_id":'],
    ['not-json', 400, ''],
    ['not-a-report', 400, JSON.stringify({ ...report, trigger_data: 3 })],
    ['not-a-report', 400, JSON.stringify({ ...report, unknown: 3 })],
    ['not-a-report', 400, JSON.stringify({ ...report, scheduled_report_time: '1' })],
    ['not-utf-8', 400, new Blob([Buffer.from([0x22, 0xc3, 0x28, 0x22])])],
    ['too-deep', 400, '['.repeat(40) + ']'.repeat(40)],
    ['too-large', 413, `"${'x'.repeat(70_000)}"`],
    ['content-type', 415, '{}', { 'Content-Type': 'application/xml' }],
    [
      'content-encoding',
      415,
      new Blob([gzipSync(JSON.stringify(report))]),
      { ...json, 'Content-Encoding': 'gzip' },
    ],
    ...[
      'ftp://a.example',
      'http://a.example',
      `https://${'a.'.repeat(1800)}example`,
      `https://a.example/${'a'.repeat(400)}`,
    ].map((url): [string, number, string, Record<string, string>] => [
      'report-url',
      400,
      JSON.stringify(report),
      { ...json, 'Cointoss-Report-Url': url },
    ]),
  ])('%s: %i', async (reason, status, body, headers = json) => {
    const before = await refusals();
    const stored = await linesAt(`${origin}/reports`);
    const response = await post(origin + EVENT_LEVEL, body, headers);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: expect.stringMatching(/./) as string });
    const label = `reason="${reason}"`;
    expect((await refusals())[label]).toBe((before[label] ?? 0) + 1);
    expect(await linesAt(`${origin}/reports`)).toEqual(stored);
  });

  test.each([
    ['what is not HTTP', 'hello\r\n\r\n'],
    ['a header without end', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(100_000)}`],
  ])('%s', async (_name, text) => {
    const before = (await refusals())['reason="not-http"'] ?? 0;
    expect(await rawAnswer(text)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect((await refusals())['reason="not-http"']).toBe(before + 1);
  });

  test.each(['ads.example', 'a.'.repeat(1800) + 'localhost'])('a report to the host %s', async (host) => {
    const before = (await refusals())['reason="report-url"'] ?? 0;
    const body = JSON.stringify(freshReport());
    const answer = await rawAnswer(
      withLength(body).replace('Host: localhost', `Host: ${host}\r\nConnection: close`),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*"path":"Host"/);
    expect((await refusals())['reason="report-url"']).toBe(before + 1);
  });

  test('a client that dawdles over its headers or its body', async () => {
    const { headersTimeout, requestTimeout } = app.server;
    expect({ headersTimeout, requestTimeout }).toEqual({ headersTimeout: 10_000, requestTimeout: 30_000 });
    // Node counts the time, whatever it is. `npm run soak` waits for it.
    if (!isLong) Object.assign(app.server, { headersTimeout: 200, requestTimeout: 400 });
    const before = (await refusals())['reason="timeout"'] ?? 0;
    const answers = await Promise.all([
      rawAnswer('POST / HTTP/1.1\r\nHost: localhost\r\nX-'),
      rawAnswer(withLength('{"report_id":', 1000)),
    ]);
    Object.assign(app.server, { headersTimeout, requestTimeout });
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect((await refusals())['reason="timeout"']).toBe(before + 2);
  });
});

test.each([
  '/statistics?group=%00',
  '/reports?destination=%00',
  '/estimates?is.x=%00',
  '/estimates?is.%00=x',
  '/reports?received_from=2016-12-31T23:59:60Z',
  '/statistics?from=2016-12-31T23:59:60Z',
  '/estimates?as_of=2016-12-31T23:59:60Z',
  // Well formed, but before PostgreSQL's calendar.
  '/reports?received_from=0000-01-01T00:00:00Z',
])('%s is the asker’s mistake', async (query) => {
  const response = await fetch(origin + query);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: expect.stringMatching(/./) as string });
});

test('a client that sends too much is told to wait, and others are not', async () => {
  const limited = await temporaryCollector({ rateLimit: 5, trustProxy: '127.0.0.1' });
  const address = await limited.listen({ port: 0, host: '127.0.0.1' });
  const from = async (client: string): Promise<number> =>
    (await post(address + EVENT_LEVEL, freshReport(), { 'X-Forwarded-For': client })).status;
  const statuses = [];
  for (let request = 0; request < 6; request++) statuses.push(await from('192.0.2.1'));
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  expect(await from('192.0.2.2')).toBe(200);
  await limited.close();
});

test('whatever a body is, the answer is 200 or 4xx, and the next report is taken', async () => {
  const fuzzed = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record(
        Object.fromEntries(
          Object.entries(report).map(([name, value]) => [name, fc.oneof(fc.constant(value), fc.jsonValue())]),
        ),
      )
      .map((body) => JSON.stringify(body)),
    fc
      .array(fc.record({ type: fc.string({ unit: 'binary' }), body: fc.jsonValue() }))
      .map((body) => JSON.stringify(body)),
  );
  await fc.assert(
    fc.asyncProperty(fuzzed, fc.constantFrom(EVENT_LEVEL, VERBOSE), async (body, path) => {
      const { status } = await post(origin + path, body);
      expect([200, 400]).toContain(status);
    }),
    { numRuns: isLong ? 300 : 50, seed: 7 },
  );
  expect((await post(origin + EVENT_LEVEL, freshReport())).status).toBe(200);
});
