import type { Database } from './database';
import { openPglite } from './pglite';
import { isPostgres, storeProblem } from './store-name';

/**
 * Opens `postgres://…` as PostgreSQL, and everything else as PGlite: in a folder, created if missing, or in memory with `memory://`.
 * @throws Error for the name of neither.
 * @param prepare makes the tables; on PostgreSQL it runs without the usual time limits.
 */
export async function openDatabase(
  store: string,
  prepare: (database: Database) => Promise<void>,
): Promise<Database> {
  const problem = storeProblem(store);
  if (problem !== null) throw new Error(problem);
  if (!isPostgres(store)) return openPglite(store, prepare);
  const { openPostgres } = await import('./postgres');
  return openPostgres(store, prepare);
}
