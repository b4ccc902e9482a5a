import type { Database } from './database';
import { openPglite } from './pglite';
import { openPostgres } from './postgres';

/**
 * Opens `postgres://…`, or else PGlite in a folder (made when it is not there), or with `memory://` one that is forgotten.
 * @param prepare makes the tables; on PostgreSQL it runs without the time limits of ordinary statements.
 */
export const openDatabase = (
  store: string,
  prepare: (database: Database) => Promise<void>,
): Promise<Database> =>
  /^postgres(ql)?:\/\//.test(store) ? openPostgres(store, prepare) : openPglite(store, prepare);
