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
import { processorTimes, usedBetween } from './processor-time';
import { readSumRows, recordSumRows, writeSumRows } from './sums-floor';

/*
 * How a collector's costs grow from 10,000 reports to ten million: making the sums, answers, intake, memory and disk, in a folder and in
 * PostgreSQL. Beside the sums stands how fast the database reads, joins and counts the rows without keeping anything, how fast it writes the same
 * rows of sums and nothing else, and how fast it copies the rows that are summed into tables of the same form. Nothing that reads all rows and
 * writes these sums can exceed the first two together.
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

export async function benchGrowth(most = MOST, words: readonly string[] = []): Promise<void> {
  const isChosen = (name: string): boolean => words.length === 0 || words.includes(name);
  if (isChosen('folder')) {
    const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-growth-'));
    await grow('folder', most, (reports) => Promise.resolve(path.join(folder, String(reports))));
    rmSync(folder, { recursive: true });
  }
  if (isChosen('postgresql')) {
    const cluster = await startCluster(postgresqlPrograms());
    await grow('PostgreSQL', most, () => cluster.freshDatabase());
    await cluster.remove();
  }
}

async function grow(name: string, most: number, fresh: (reports: number) => Promise<string>): Promise<void> {
  console.log(
    `${name}\n  ${['reports', 'sources', 'rows of sums', 'sums/s', 'sums/s of processor', 'rows read/s of processor', 'rows of sums written/s of processor', 'both/s of processor', 'copy/s', 'copy/s of processor', ...Object.keys(questions), 'intake/s', 'MB memory', 'MB disk'].join(' | ')}`,
  );
  for (let reports = FEWEST; reports <= most; reports *= 10) {
    const store = await fresh(reports);
    const made = await copyMonth(store, reports);
    const { rows, sums, read, written, copy } = await timesToSum(store);
    const bytes = await bytesOf(store);
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
      rows,
      ...[
        sums.wall,
        sums.processor,
        read.processor,
        written.processor,
        read.processor + written.processor,
        copy.wall,
        copy.processor,
      ].map((seconds) => (made.reports / seconds).toFixed()),
      ...answers.map((seconds) => `${seconds.toFixed(2)} s`),
      perSecond.toFixed(),
      (memory / 1e6).toFixed(),
      (bytes / 1e6).toFixed(),
    ];
    console.log(`  ${row.join(' | ')}`);
  }
}

/** In seconds. */
interface Spent {
  readonly wall: number;
  /** Of this process and its server, which another load of the machine changes less. */
  readonly processor: number;
}

/** How long the sums of all rows take, the reading of the rows and the writing of these sums alone, and a copy of the rows with their indexes. */
async function timesToSum(store: string): Promise<{
  readonly rows: number;
  readonly sums: Spent;
  readonly read: Spent;
  readonly written: Spent;
  readonly copy: Spent;
}> {
  const nothing: Spent = { wall: NaN, processor: NaN };
  const spent = { rows: NaN, sums: nothing, read: nothing, written: nothing, copy: nothing };
  const database = await openDatabase(store, async (opened) => {
    spent.sums = await timed(() => buildSums(opened, () => undefined));
    await opened.query('ANALYZE reports, sources');
    spent.read = await timed(() => readSumRows(opened));
    spent.copy = await timed(() => copyRows(opened));
    await opened.query('DROP TABLE copied_reports, copied_sources');
    spent.rows = await recordSumRows(opened);
    await writeSumRows(opened, async (work) => {
      spent.written = await timed(work);
    });
  });
  await database.close();
  return spent;
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

async function timed(work: () => Promise<unknown>): Promise<Spent> {
  const start = performance.now();
  const before = processorTimes(process.pid);
  await work();
  return {
    wall: (performance.now() - start) / 1000,
    processor: usedBetween(before, processorTimes(process.pid)) / 1000,
  };
}

/** In bytes; Linux only. */
const peakMemory = (id: number): number =>
  1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1]);

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
