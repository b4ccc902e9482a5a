import type { Database } from './database';
import { openPglite } from './pglite';
import { openPostgres } from './postgres';

export const isPostgres = (store: string): boolean => /^postgres(ql)?:\/\//.test(store);

/**
 * Opens `postgres://…` as PostgreSQL, and everything else as PGlite: in a folder, created if missing, or in memory with `memory://`.
 * @param prepare makes the tables; on PostgreSQL it runs without the usual time limits.
 */
export const openDatabase = (
  store: string,
  prepare: (database: Database) => Promise<void>,
): Promise<Database> => (isPostgres(store) ? openPostgres(store, prepare) : openPglite(store, prepare));
