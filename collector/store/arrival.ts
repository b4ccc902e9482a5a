import type { Database, Queries } from './database';

type Table = 'reports' | 'sources';

/** Any numbers that no other user of the database takes for an advisory lock. A long log of sources holds up no report. */
const locks: Readonly<Record<Table, number>> = { reports: 7_263_510_002, sources: 7_263_510_003 };

/**
 * Rows are numbered when they are written and seen when that is committed, so that of two rows the one with the
 * higher number can be seen first, and who reads on from there would miss the other. So writers share their table's lock until they
 * have committed, and `settledId` waits for those under way.
 */
export async function joinWriters(queries: Queries, table: Table): Promise<void> {
  await queries.query(`SELECT pg_advisory_xact_lock_shared(${locks[table]})`);
}

/** The same within an INSERT from a list of rows: as one more item of FROM it is had before the first row gets its number. */
export const amongWriters = (table: Table): string =>
  `(SELECT pg_advisory_xact_lock_shared(${locks[table]})) AS among_writers`;

/** An id up to which no row can appear any more; all that were committed before the call are below or at it. */
export async function settledId(database: Database, table: Table): Promise<number> {
  return database.transaction(async (queries) => {
    await queries.query(`SELECT pg_advisory_xact_lock(${locks[table]})`);
    return newestId(queries, table);
  });
}

/** The highest id that is committed, while lower ones may still appear. Waits for nobody. */
export async function newestId(queries: Queries, table: Table): Promise<number> {
  const [row] = await queries.query<{ id: number | null }>(`SELECT max(id) AS id FROM ${table}`);
  return row?.id ?? 0;
}
