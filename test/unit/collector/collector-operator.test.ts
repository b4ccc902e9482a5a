import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { Client } from 'pg';
import { main } from '../../../cli/main';
import { createCollector } from '../../../collector/server';
import { CollectorStore } from '../../../collector/store/store';
import { describeRows, describeServer, describeStores } from '../helpers/collector-stores';
import { linesAt, post } from '../helpers/collector-client';
import { temporaryCollector } from '../helpers/empty-store';

const PASSWORD = 'correct horse battery staple';

/** Runs `cointoss collect` with this text on standard input; resolves to its exit code and standard error. */
async function collect(
  options: readonly string[],
  typed: string,
): Promise<readonly [code: number, said: string]> {
  const said: string[] = [];
  const stderr = jest
    .spyOn(process.stderr, 'write')
    .mockImplementation((text) => said.push(String(text)) > 0);
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from([typed]) });
  try {
    return [await main(['collect', ...options]), said.join('')];
  } finally {
    Object.defineProperty(process, 'stdin', stdin);
    stderr.mockRestore();
  }
}

/** A user of the server who has a password, in place of one who needs none. */
async function withPassword(url: string): Promise<string> {
  const client = new Client(url);
  await client.connect();
  try {
    await client.query(`CREATE ROLE keeper LOGIN SUPERUSER PASSWORD '${PASSWORD}'`);
    const { rows } = await client.query<{ hba_file: string }>('SHOW hba_file');
    const lines = `VALUES ('host all keeper 127.0.0.1/32 scram-sha-256'), ('host all all 127.0.0.1/32 trust')`;
    await client.query(`COPY (${lines}) TO '${rows[0]?.hba_file ?? ''}'`);
    // Longer than the test: who has no password must not wait for the server.
    await client.query(`ALTER SYSTEM SET authentication_timeout = '10min'`);
    await client.query('SELECT pg_reload_conf()');
  } finally {
    await client.end();
  }
  return url.replace(/\/\/[^@]*@/, '//keeper@');
}

test('the series of each alert are there before anything happened', async () => {
  const rules = readFileSync(path.resolve(__dirname, '../../../integrations/collector/alerts.yaml'), 'utf8');
  const asked = [...rules.matchAll(/(cointoss_\w+)\{job="cointoss"(?:, (\w+)=~?"([^"]+)")?\}/g)].flatMap(
    ([, name = '', label, values = '']) => values.split('|').map((value) => [name, label, value] as const),
  );
  expect(asked.length).toBeGreaterThan(5);
  const app = await temporaryCollector();
  const body = await (await fetch(`${await app.listen({ port: 0 })}/metrics`)).text();
  await app.close();
  const missing = asked.filter(
    ([name, label, value]) =>
      !body
        .split('\n')
        .some(
          (line) => line.startsWith(name) && (label === undefined || line.includes(`${label}="${value}"`)),
        ),
  );
  expect(missing).toEqual([]);
  // A collector that is closed must leave nothing that measures on: the program measures its process, once.
  expect(body).not.toContain('nodejs_');
});

test.each([
  ['postgres://owner:SEC/RET@127.0.0.1:1/trial', 'postgres://…', 'must have its user and password'],
  ['host=127.0.0.1 password=SECRET', 'host=…', 'must be a URL'],
  ['memory://', 'memory:…', 'there is no store in this folder'],
  [path.join(tmpdir(), 'no such store'), path.join(tmpdir(), 'no such store'), 'there is no store'],
])('`--wipe` refuses %s before it asks anything', async (store, shown, problem) => {
  const [code, said] = await collect(['--store', store, '--wipe'], `${shown}\n`);
  expect([code, said.slice(0, said.indexOf(problem))]).toEqual([2, `cointoss: collect: --wipe: ${shown}: `]);
});

describeStores((stores) => {
  test('`--wipe` erases the store once its name was typed, and no folder that is in use', async () => {
    const store = await stores().fresh();
    if (stores().areOnServer) await (await CollectorStore.open(store)).close();
    const [refused, said] = await collect(['--store', store, '--wipe'], 'yes\n');
    expect([refused, said]).toEqual([2, expect.stringContaining('nothing was erased')]);
    const both = await collect(['--store', store, '--wipe', '--correct-sources', 'x'], `${store}\n`);
    expect(both).toEqual([2, expect.stringContaining('cannot be used with')]);
    const open = await CollectorStore.open(store);
    // PostgreSQL has no lock of this kind; the documentation says to stop the collectors first.
    if (!stores().areOnServer)
      expect(await collect(['--store', store, '--wipe'], `${store}\n`)).toEqual([
        2,
        expect.stringContaining('another collector uses the store'),
      ]);
    await open.close();

    expect(await collect(['--store', store, '--wipe'], `${store}\n`)).toEqual([
      0,
      expect.stringContaining('is erased'),
    ]);
    if (!stores().areOnServer) expect(existsSync(store)).toBe(false);
    const [again, why] = await collect(['--store', store, '--wipe'], `${store}\n`);
    expect([again, why]).toEqual([2, expect.stringContaining('there is no store')]);
  });
});

describeRows((stores) => {
  test('`--correct-sources` corrects the source log, and the collector says what it said before', async () => {
    const place = await stores().fresh();
    const row = {
      source_event_id: '1',
      reporting_origin: 'https://ads.example',
      destination: 'https://shop.example',
      source_type: 'event',
      time: '2026-01-01T00:00:00Z',
      registration: {},
      campaign: 'sprnig',
    };
    const serve = async (): Promise<readonly [origin: string, close: () => Promise<void>]> => {
      const app = await createCollector({ store: place });
      return [await app.listen({ port: 0, host: '127.0.0.1' }), () => app.close()];
    };
    const [before, closeBefore] = await serve();
    await post(`${before}/sources`, JSON.stringify(row), { 'Content-Type': 'application/x-ndjson' });
    await closeBefore();
    const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-corrections-'));
    const file = path.join(folder, 'right.csv');
    await writeFile(
      file,
      'source_event_id,reporting_origin,destination,source_type,time,registration,campaign\n1,https://ads.example,https://shop.example,event,1767225600000,{},spring\n',
    );
    expect(await collect(['--store', place, '--correct-sources', file], '')).toEqual([
      0,
      expect.stringContaining('corrected: 1; said what is stored: 0'),
    ]);
    await writeFile(file, 'source_event_id\n1\n');
    expect(await collect(['--store', place, '--correct-sources', file], '')).toEqual([
      2,
      expect.stringMatching(/nothing was corrected in .*: line 2: the row must have the field/),
    ]);
    await rm(folder, { recursive: true });
    const [after, closeAfter] = await serve();
    expect(await linesAt(`${after}/sources`)).toMatchObject([{ campaign: 'spring' }]);
    expect(await linesAt(`${after}/sources/corrections`)).toMatchObject([
      {
        corrected_time: expect.stringContaining('T') as unknown,
        before: { campaign: 'sprnig', time: expect.anything() as unknown },
      },
    ]);
    await closeAfter();
  });
});

describeServer((stores) => {
  test('a password comes from the file that PGPASSFILE names, and without one the store says so', async () => {
    const url = await withPassword(await stores().fresh());
    const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-password-'));
    const file = path.join(folder, 'pgpass');
    await writeFile(file, `127.0.0.1:*:*:keeper:${PASSWORD}\n`);
    await chmod(file, 0o600);
    const said: string[] = [];
    const write = jest
      .spyOn(process.stderr, 'write')
      .mockImplementation((text) => said.push(String(text)) > 0);
    process.env['PGPASSFILE'] = path.join(folder, 'none');
    try {
      expect(await collect(['--store', url, '--port', '0'], '')).toEqual([
        2,
        expect.stringMatching(/asks for a password: set PGPASSFILE/),
      ]);
      process.env['PGPASSFILE'] = file;
      const store = await CollectorStore.open(url);
      await store.check();
      await store.close();
    } finally {
      delete process.env['PGPASSFILE'];
      write.mockRestore();
      await rm(folder, { recursive: true });
    }
    expect(said).toEqual([]);
  });
});
