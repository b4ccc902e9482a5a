import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Database } from '../collector/store/database';
import { openDatabase } from '../collector/store/open-database';
import { buildSums } from '../collector/store/sums';
import { postgresqlPrograms, startCluster } from '../scripts/postgresql-cluster';
import { sendReports, serveCollector } from './collector';
import { copyMonth } from './copied-month';
import { secondsOf } from './dashboard';
import { median } from './measure';

/*
 * How a collector's costs grow from 10,000 reports to ten million: making the sums, answers, intake, memory and disk, in a folder and in
 * PostgreSQL. Beside the sums stands how fast the database copies the same rows into tables of the same form, which nothing that reads and
 * writes all rows can exceed.
 */

const FEWEST = 10_000;
const MOST = 10_000_000;
const ROUNDS = 3;
const INTAKE_SECONDS = 5;

const questions = {
  statistics: '/statistics?group=campaign',
  estimates: '/estimates?group=campaign&top_states=12',
  likelihood: '/estimates?group=campaign&top_states=12&likelihood=true',
} as const;

export async function benchGrowth(
  most = MOST,
  words: readonly string[] = ['folder', 'postgresql'],
): Promise<void> {
  if (words.includes('folder')) {
    const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-growth-'));
    await grow('folder', most, (reports) => Promise.resolve(path.join(folder, String(reports))));
    rmSync(folder, { recursive: true });
  }
  if (words.includes('postgresql')) {
    const cluster = await startCluster(postgresqlPrograms());
    await grow('PostgreSQL', most, () => cluster.freshDatabase());
    await cluster.remove();
  }
}

async function grow(name: string, most: number, fresh: (reports: number) => Promise<string>): Promise<void> {
  console.log(
    `${name}\n  ${['reports', 'sources', 'sums/s', 'copy/s', ...Object.keys(questions), 'intake/s', 'MB memory', 'MB disk'].join(' | ')}`,
  );
  for (let reports = FEWEST; reports <= most; reports *= 10) {
    const store = await fresh(reports);
    const made = await copyMonth(store, reports);
    const { sums, copy } = await secondsToSum(store);
    const { origin, process: child } = await serveCollector(store);
    child.stderr?.resume();
    const answers: number[] = [];
    for (const address of Object.values(questions)) {
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round++) times.push(await secondsOf(origin + address));
      answers.push(median(times));
    }
    const { perSecond } = await sendReports(origin, 1, INTAKE_SECONDS);
    const memory = peakMemory(child.pid ?? 0);
    child.kill('SIGTERM');
    await once(child, 'exit');
    const row = [
      made.reports,
      made.sources,
      (made.reports / sums).toFixed(),
      (made.reports / copy).toFixed(),
      ...answers.map((seconds) => `${seconds.toFixed(2)} s`),
      perSecond.toFixed(),
      (memory / 1e6).toFixed(),
      ((await bytesOf(store)) / 1e6).toFixed(),
    ];
    console.log(`  ${row.join(' | ')}`);
  }
}

/** How long the sums of all rows take, and a copy of the rows with their indexes. */
async function secondsToSum(store: string): Promise<{ readonly sums: number; readonly copy: number }> {
  const seconds = { sums: 0, copy: 0 };
  const database = await openDatabase(store, async (opened) => {
    seconds.sums = await timed(() => buildSums(opened, () => undefined));
    seconds.copy = await timed(() => copyRows(opened));
    await opened.query('DROP TABLE copied_reports, copied_sources');
  });
  await database.close();
  return seconds;
}

const copyRows = (database: Database): Promise<unknown> =>
  database.query(
    ['reports', 'sources']
      .map(
        (table) => `CREATE TABLE copied_${table} (LIKE ${table} INCLUDING INDEXES);
          INSERT INTO copied_${table} SELECT * FROM ${table}`,
      )
      .join(';'),
  );

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** In bytes; Linux only. */
const peakMemory = (process: number): number =>
  1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${process}/status`, 'utf8'))?.[1]);

/** What the store takes on the disk. */
async function bytesOf(store: string): Promise<number> {
  if (!store.startsWith('postgres:'))
    return readdirSync(store, { recursive: true, encoding: 'utf8' })
      .map((name) => statSync(path.join(store, name)))
      .reduce((sum, file) => sum + file.size, 0);
  let bytes = 0;
  const database = await openDatabase(store, async (opened) => {
    const [row] = await opened.query<{ bytes: number }>(
      'SELECT pg_database_size(current_database()) AS bytes',
      [],
    );
    bytes = row?.bytes ?? NaN;
  });
  await database.close();
  return bytes;
}
