import type { Database, Queries } from './database';

/** Any number that no other user of the database takes for an advisory lock. */
const ARRIVAL_LOCK = 7_263_510_002;

/**
 * Rows are numbered when they are written and seen when that is committed, so that of two rows the one with the
 * higher number can be seen first, and who reads on from there would miss the other. So writers share this lock until they
 * have committed, and `settledId` waits for those under way.
 */
export async function joinWriters(queries: Queries): Promise<void> {
  await queries.query(`SELECT pg_advisory_xact_lock_shared(${ARRIVAL_LOCK})`);
}

/** The same within an INSERT from a list of rows: as one more item of FROM it is had before the first row gets its number. */
export const AMONG_WRITERS = `(SELECT pg_advisory_xact_lock_shared(${ARRIVAL_LOCK})) AS among_writers`;

/** An id up to which no row can appear any more; all that were committed before the call are below or at it. */
export async function settledId(database: Database, table: 'reports' | 'sources'): Promise<number> {
  return database.transaction(async (queries) => {
    await queries.query(`SELECT pg_advisory_xact_lock(${ARRIVAL_LOCK})`);
    const [row] = await queries.query<{ id: number | null }>(`SELECT max(id) AS id FROM ${table}`);
    return row?.id ?? 0;
  });
}
