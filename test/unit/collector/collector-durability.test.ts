import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { createCollector } from '../../../collector/server';
import { EVENT_LEVEL, freshReport, linesAt, post } from '../helpers/collector-client';
import { idsAt, killUnderLoad, Load } from '../helpers/collector-load';
import type { CollectorProcess } from '../helpers/collector-process';
import { describeCrashes, serverOf } from '../helpers/collector-stores';
import { isLong, itInSoak } from '../helpers/is-long';
import { TokenTrial } from '../helpers/tokens';

/** Reports from one kill to the next. */
const EACH = isLong ? 120 : 30;

const NDJSON = { 'Content-Type': 'application/x-ndjson' };

/** Sends the same reports, and the same source log, to both at once, in opposite orders. */
async function sendToTwo(store: string): Promise<void> {
  // Together, so that both find the database as it was.
  const apps = await Promise.all([createCollector({ store }), createCollector({ store })]);
  const origins = await Promise.all(apps.map((app) => app.listen({ port: 0, host: '127.0.0.1' })));
  const reports = Array.from({ length: 150 }, () => freshReport());
  const sources = Array.from({ length: 150 }, (_, id) => ({
    source_event_id: String(id),
    reporting_origin: 'https://ads.example',
    destination: 'https://shop.example',
    source_type: 'navigation',
    time: '2026-01-01T00:00:00.000Z',
    registration: {},
  }));
  const lines = sources.map((source) => `${JSON.stringify(source)}\n`);
  const answers = await Promise.all([
    ...reports.map((report) => post(`${origins[0] ?? ''}${EVENT_LEVEL}`, report)),
    ...[...reports].reverse().map((report) => post(`${origins[1] ?? ''}${EVENT_LEVEL}`, report)),
    post(`${origins[0] ?? ''}/sources`, lines.join(''), NDJSON),
    post(`${origins[1] ?? ''}/sources`, [...lines].reverse().join(''), NDJSON),
  ]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const sent = reports.map(({ report_id: id }) => id);
  const logged = sources.map(({ source_event_id: id }) => id);
  for (const origin of origins) {
    expect((await idsAt(origin)).sort()).toEqual(sent.sort());
    const rows = await linesAt<Readonly<Record<string, unknown>>>(`${origin}/sources`);
    expect(rows.map((row) => row['source_event_id']).sort()).toEqual(logged.sort());
  }
  await Promise.all(apps.map((app) => app.close()));
}

const PARTITIONS = 4;
const keys: Readonly<Record<string, string>> = { reports: 'report_id', sources: 'source_event_id' };

const partitioning = (table: string): string =>
  [
    `ALTER TABLE ${table} RENAME TO whole`,
    `CREATE TABLE ${table} (LIKE whole INCLUDING ALL) PARTITION BY HASH (${keys[table] ?? ''})`,
    ...Array.from(
      { length: PARTITIONS },
      (_, part) =>
        `CREATE TABLE ${table}_${part} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${part})`,
    ),
    'DROP TABLE whole',
  ].join(';');

async function withClient(store: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: store });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Each token was spent for its report: none is good for another. */
async function expectSpent(origin: string, load: Load): Promise<void> {
  const sent = [...load.acknowledged, ...load.unanswered];
  const before = (await idsAt(origin)).length;
  const statuses = new Set<number>();
  for (const report of sent) statuses.add((await load.spendAgain(origin, report)).status);
  expect(statuses).toEqual(new Set([401]));
  expect(await idsAt(origin)).toHaveLength(before);
}

/** A request to stop under load: what was sent is answered, and the exit code is 0. */
async function expectStopped(collector: CollectorProcess, load: Load): Promise<void> {
  const before = load.acknowledged.length;
  load.start([collector.origin]);
  await load.reached(before + EACH);
  const metrics = await fetch(`${collector.origin}/metrics`);
  expect(await metrics.text()).toMatch(/^nodejs_eventloop_lag_p99_seconds [^]*^cointoss_reports_total/m);
  expect(await collector.end('SIGTERM')).toBe(0);
  await load.ended();
}

describeCrashes((stores, kind) => {
  const isServer = kind === 'PostgreSQL';

  // One store for both, because each collector takes seconds of processor time to start. Tokens are spent by the same reports. A server goes on:
  // what is on its way when it is lost, the tests below try.
  if (isLong || !isServer)
    test('a kill in the middle of a load loses no report and no token, and a request to stop ends with what was taken stored', async () => {
      const trial = new TokenTrial();
      const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-tokens-'));
      const options = await trial.files(folder);
      const load = new Load(await trial.signer());
      const store = await stores().fresh();
      // What was not answered is answered when it is sent again with its token.
      await killUnderLoad(store, isLong ? 5 : 1, EACH, load, options, async (collector) => {
        await expectSpent(collector.origin, load);
        await expectStopped(collector, load);
      });
      await rm(folder, { recursive: true });

      const again = await createCollector({ store });
      const origin = await again.listen({ port: 0, host: '127.0.0.1' });
      const kept = new Set(await idsAt(origin));
      expect(load.acknowledged.filter(({ report_id: id }) => !kept.has(id))).toEqual([]);
      await again.close();
    });

  // A folder has one collector.
  if (isServer)
    test('one token that two reports bring to two collectors is spent by one of them', async () => {
      const trial = new TokenTrial();
      const options = { store: await stores().fresh(), tokens: trial.options() };
      const apps = await Promise.all([createCollector(options), createCollector(options)]);
      const origins = await Promise.all(apps.map((app) => app.listen({ port: 0, host: '127.0.0.1' })));
      const signed = await trial.signer();
      for (let round = 0; round < 20; round++) {
        const headers = { Authorization: signed() };
        const answers = await Promise.all(
          origins.flatMap((origin) => [1, 2].map(() => post(origin + EVENT_LEVEL, freshReport(), headers))),
        );
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
      }
      expect(await idsAt(origins[0] ?? '')).toHaveLength(20);
      expect(await (await fetch(`${origins[0] ?? ''}/counts`)).json()).toMatchObject({
        received: 20,
        refused: 60,
      });
      await Promise.all(apps.map((app) => app.close()));
    });

  // On one folder the second is refused, as below.
  if (isServer)
    test('two collectors on one PostgreSQL keep each report and each source once', async () => {
      await sendToTwo(await stores().fresh());
    });

  if (isServer)
    itInSoak(
      'two collectors also do so where the tables are partitioned as docs/collector-scale.md says',
      async () => {
        const store = await stores().fresh();
        await (await createCollector({ store })).close();
        await withClient(store, async (client) => {
          for (const table of ['reports', 'sources']) await client.query(partitioning(table));
        });
        await sendToTwo(store);
        await withClient(store, async (client) => {
          for (const table of ['reports', 'sources']) {
            const { rows } = await client.query(`SELECT DISTINCT tableoid::regclass::text FROM ${table}`);
            expect([table, rows.length]).toEqual([table, PARTITIONS]);
          }
        });
      },
    );

  test('who reads on from the last cursor, while two write, misses nothing; on one folder the second is refused', async () => {
    const { cluster } = stores();
    const store = await stores().fresh();
    const apps = await Promise.all(
      Array.from({ length: cluster === null ? 1 : 2 }, () => createCollector({ store, rateLimit: 1e9 })),
    );
    const origins = await Promise.all(apps.map((app) => app.listen({ port: 0, host: '127.0.0.1' })));
    if (cluster === null)
      await expect(createCollector({ store })).rejects.toThrow('another collector uses the store');
    const reports = Array.from({ length: 300 }, () => freshReport());
    const state = { written: false };
    const writing = Promise.all(
      reports.map((report, index) => post((origins[index % origins.length] ?? '') + EVENT_LEVEL, report)),
    ).then(() => (state.written = true));
    const read: unknown[] = [];
    let cursor = 0;
    for (let last = false; !last;) {
      last = state.written;
      for (const line of await linesAt(`${origins[0] ?? ''}/reports?after=${cursor}`)) {
        read.push(line['report_id']);
        cursor = line.cursor;
      }
    }
    await writing;
    expect(read.sort()).toEqual(reports.map(({ report_id: id }) => id).sort());
    await Promise.all(apps.map((app) => app.close()));
  });

  // The database of a folder is a thread of the collector.
  if (isServer)
    test('a report that is being written when the database is lost is answered 503', async () => {
      const cluster = serverOf(stores());
      const store = await stores().fresh();
      const app = await createCollector({ store });
      const origin = await app.listen({ port: 0, host: '127.0.0.1' });
      const report = freshReport();
      const other = new Client({ connectionString: store });
      other.on('error', () => undefined);
      await other.connect();
      await other.query('BEGIN; LOCK TABLE reports IN ACCESS EXCLUSIVE MODE');
      const answer = post(origin + EVENT_LEVEL, report);
      const waiting = `SELECT FROM pg_locks WHERE relation = 'reports'::regclass AND NOT granted`;
      while ((await other.query(waiting)).rows.length === 0);
      await cluster.crash();
      expect((await answer).status).toBe(503);
      await cluster.start();
      expect((await post(origin + EVENT_LEVEL, report)).status).toBe(200);
      expect(await idsAt(origin)).toEqual([report.report_id]);
      await app.close();
    });

  if (isServer)
    test('while the database is lost reports are answered 503; once it is back they are taken', async () => {
      const cluster = serverOf(stores());
      const app = await createCollector({ store: await stores().fresh() });
      const origin = await app.listen({ port: 0, host: '127.0.0.1' });
      const [before, during] = [freshReport(), freshReport()];
      expect((await post(origin + EVENT_LEVEL, before)).status).toBe(200);
      await cluster.crash();
      const refused = await post(origin + EVENT_LEVEL, during);
      expect(refused.status).toBe(503);
      expect(refused.headers.get('Retry-After')).not.toBeNull();
      expect((await fetch(`${origin}/healthz`)).status).toBe(503);
      await cluster.start();
      expect((await post(origin + EVENT_LEVEL, during)).status).toBe(200);
      expect(await idsAt(origin)).toEqual([before.report_id, during.report_id]);
      await app.close();
    });
});
