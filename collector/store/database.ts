import { openPglite } from './pglite';
import { openPostgres } from './postgres';

export type Scalar = string | number | boolean | null;
export type Parameter = Scalar | readonly Scalar[];

/** Where statements go: PostgreSQL's SQL and types. 64-bit integers come as numbers, NUMERIC as text, times as Date. */
export interface Queries {
  /** @param parameters without any, `sql` may be several statements; the rows are then those of the last. */
  query<Row>(sql: string, parameters?: readonly Parameter[]): Promise<readonly Row[]>;
}

export interface Database extends Queries {
  /** Resolves once all that `work` did is committed and durable; all of it is undone when `work` rejects. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Opens `postgres://…`, or else PGlite in a folder (made when it is not there), or with `memory://` one that is forgotten.
 * @param prepare makes the tables; on PostgreSQL it runs without the time limits of ordinary statements.
 */
export const openDatabase = (
  store: string,
  prepare: (database: Database) => Promise<void>,
): Promise<Database> =>
  /^postgres(ql)?:\/\//.test(store) ? openPostgres(store, prepare) : openPglite(store, prepare);

/** Runs `work` between BEGIN and COMMIT on one connection. */
export async function inTransaction<T>(
  connection: Queries,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  await connection.query('BEGIN');
  try {
    const result = await work(connection);
    await connection.query('COMMIT');
    return result;
  } catch (error) {
    // When the connection is what failed, the server rolls back by itself.
    await connection.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
