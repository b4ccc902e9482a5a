import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { freePort } from '../../../scripts/free-port';
import { EVENT_LEVEL, freshReport } from '../helpers/collector-client';
import { temporaryCollector } from '../helpers/empty-store';
import { selfSigned } from '../helpers/self-signed';

const NAME = 'collector.uni.example';
const token = 'correct-horse-battery-staple';
const nginx = ['nginx', '/usr/sbin/nginx'].find((program) => !spawnSync(program, ['-v']).error);
if (nginx === undefined) {
  if (process.env['CI'] === 'true') throw new Error('nginx is missing');
  process.stderr.write('nginx is not installed, so its configuration is not tried.\n');
}

/** The configuration as published, with a port, a certificate and a log of this test. */
function configuration(folder: string, port: number, upstream: number): string {
  const published = readFileSync(
    path.resolve(__dirname, '../../../integrations/collector/nginx.conf'),
    'utf8',
  );
  const changes: readonly (readonly [string, string])[] = [
    ['listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`],
    ['/etc/letsencrypt/live/collector.uni.example/fullchain.pem', path.join(folder, 'cert.pem')],
    ['/etc/letsencrypt/live/collector.uni.example/privkey.pem', path.join(folder, 'key.pem')],
    ['/var/log/nginx/cointoss.log', path.join(folder, 'error.log')],
    ['http://127.0.0.1:8090', `http://127.0.0.1:${upstream}`],
  ];
  const server = changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`nginx.conf has no ${from}`);
    return text.replaceAll(from, to);
  }, published);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ');
  // Its workers would otherwise be users who may not write into the folder.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  return `${user} pid ${folder}/pid; error_log ${folder}/main.log emerg; daemon off; events {} http { ${temporary} ${server} }`;
}

(nginx === undefined ? describe.skip : describe)('behind nginx with TLS, as docs/runbook.md says', () => {
  let app: FastifyInstance;
  let server: ChildProcess;
  let folder = '';
  let port = 0;
  let cert = '';

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'cointoss-proxy-'));
    const pair = selfSigned(NAME);
    ({ cert } = pair);
    writeFileSync(path.join(folder, 'cert.pem'), pair.cert);
    writeFileSync(path.join(folder, 'key.pem'), pair.key);
    app = await temporaryCollector({ token, trustProxy: '127.0.0.1' });
    const upstream = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
    port = await freePort();
    writeFileSync(path.join(folder, 'nginx.conf'), configuration(folder, port, upstream));
    server = spawn(
      nginx ?? '',
      ['-e', path.join(folder, 'main.log'), '-c', path.join(folder, 'nginx.conf')],
      {
        stdio: 'ignore',
      },
    );
    while ((await ask('GET', '/healthz').catch(() => null)) === null);
  });

  afterAll(async () => {
    const exited = once(server, 'exit');
    server.kill('SIGQUIT');
    await exited;
    await app.close();
    rmSync(folder, { recursive: true });
  });

  async function ask(
    method: string,
    url: string,
    headers: Readonly<Record<string, string | number>> = {},
    body: string | Buffer = '',
  ): Promise<readonly [status: number | undefined, text: string]> {
    const options = { method, port, host: '127.0.0.1', path: url, ca: cert, servername: NAME };
    const sent = request({
      ...options,
      headers: { Host: NAME, ...headers },
      checkServerIdentity: () => undefined,
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const part of response.setEncoding('utf8')) text += part as string;
    return [response.statusCode, text];
  }

  const owner = { Authorization: `Bearer ${token}` };

  test('a report gets through, and its origin is the name of the proxy', async () => {
    const report = freshReport();
    const headers = { 'Content-Type': 'application/json' };
    expect((await ask('POST', EVENT_LEVEL, headers, JSON.stringify(report)))[0]).toBe(200);
    const [status, text] = await ask('GET', '/reports?format=ndjson', owner);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ reporting_origin: `https://${NAME}` });
  });

  test('64 MiB of the source log get through, and a byte more does not', async () => {
    const row = JSON.stringify({
      source_event_id: '1',
      reporting_origin: `https://${NAME}`,
      source_type: 'event',
      destination: 'https://shop.example',
      time: '2026-01-09T10:00:00Z',
      registration: {},
    });
    const headers = { ...owner, 'Content-Type': 'application/x-ndjson' };
    // JSON may have white space anywhere. A row may have 16 MiB.
    const line = `${row.slice(0, -1)}${' '.repeat(8 * 2 ** 20 - row.length - 1)}}\n`;
    const body = Buffer.from(line.repeat(8));
    expect(await ask('POST', '/sources', headers, body)).toEqual([
      200,
      expect.stringContaining('"stored":1'),
    ]);
    const more = { ...headers, 'Content-Length': 64 * 2 ** 20 + 1 };
    expect((await ask('POST', '/sources', more, ' '))[0]).toBe(413);
  });

  test('what it refuses and cannot do leaves no address in a log', async () => {
    expect((await ask('POST', EVENT_LEVEL, { 'Content-Length': 2 ** 20 }, ' '))[0]).toBe(413);
    expect((await ask('GET', '/reports'))[0]).toBe(401);
    const plain = connect(port, '127.0.0.1');
    plain.end('GET / HTTP/1.1\r\n\r\n').resume();
    await once(plain, 'close');
    await app.close();
    expect((await ask('GET', '/healthz'))[0]).toBe(502);
    const logs = ['error.log', 'main.log'].map((name) => readFileSync(path.join(folder, name), 'utf8'));
    expect(logs.join('')).not.toContain('127.0.0.1');
  });
});
