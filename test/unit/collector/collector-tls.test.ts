import { createServer, type AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openPostgres } from '../../../collector/store/postgres';
import { selfSigned } from '../helpers/self-signed';

/** Speaks PostgreSQL's protocol up to TLS, and says what came through it. */
async function tlsServer(key: string, cert: string) {
  const started = { sessions: 0 };
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, key, cert });
      secure.on('error', () => undefined);
      secure.once('data', () => {
        started.sessions += 1;
        secure.destroy();
      });
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return { server, started, port: (server.address() as AddressInfo).port };
}

test('a certificate that no known authority signed is refused with the remedy, which works', async () => {
  const { key, cert } = selfSigned('localhost');
  const { server, started, port } = await tlsServer(key, cert);
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-tls-'));
  const file = path.join(folder, 'cert.pem');
  writeFileSync(file, cert);
  const url = `postgres://owner:SECRET@localhost:${port}/trial?sslmode=require`;
  const open = (store: string): Promise<string> =>
    openPostgres(store, () => Promise.resolve()).then(
      () => '',
      (error: unknown) => (error as Error).message,
    );
  const refusal = await open(url);
  expect(refusal).toMatch(/self-signed certificate.*add sslrootcert=FILE to the URL/);
  expect(refusal).not.toContain('SECRET');
  expect(started.sessions).toBe(0);
  expect(await open(`${url}&sslrootcert=${file}`)).not.toMatch(/certificate/);
  expect(started.sessions).toBe(1);
  server.close();
  rmSync(folder, { recursive: true });
});
