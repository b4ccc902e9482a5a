import type { Queries } from './database';

type Table = 'reports' | 'sources';

/** Advisory lock numbers that nothing else in the database uses. Each table has its own, so that a long log of sources delays no report. */
const locks: Readonly<Record<Table, number>> = { reports: 7_263_510_002, sources: 7_263_510_003 };

/**
 * Ids are assigned at INSERT but become visible at COMMIT. A higher id can therefore become visible first, and a reader that continues
 * after it would miss the lower one. So writers share their table's lock until they commit, and `settledId` waits for the writers in
 * progress.
 */
export async function joinWriters(queries: Queries, table: Table): Promise<void> {
  await queries.query(`SELECT pg_advisory_xact_lock_shared(${locks[table]})`);
}

/** Waits for the writers in progress; others wait until this transaction ends. */
export async function excludeWriters(queries: Queries): Promise<void> {
  for (const table of ['sources', 'reports'] as const)
    await queries.query(`SELECT pg_advisory_xact_lock(${locks[table]})`);
}

/** The same as an item of FROM in an INSERT, so that the lock is taken before the first row gets its id. */
export const amongWriters = (table: Table): string =>
  `(SELECT pg_advisory_xact_lock_shared(${locks[table]})) AS among_writers`;

/**
 * An id below which no new row can appear any more. It covers all rows committed before the call. Writers wait meanwhile, so it is one message,
 * whose statements are a transaction: writers must not wait until this process comes to send the next one.
 */
export const settledId = (database: Queries, table: Table): Promise<number> =>
  readId(database, `SELECT pg_advisory_xact_lock(${locks[table]}); ${newest(table)}`);

/** The highest committed id; lower ones may still appear. It does not wait. */
export const newestId = (queries: Queries, table: Table): Promise<number> => readId(queries, newest(table));

const newest = (table: Table): string => `SELECT max(id) AS id FROM ${table}`;

async function readId(queries: Queries, sql: string): Promise<number> {
  const [row] = await queries.query<{ id: number | null }>(sql);
  return row?.id ?? 0;
}
