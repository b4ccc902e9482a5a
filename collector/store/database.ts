export type Scalar = string | number | boolean | null;
export type Parameter = Scalar | readonly Scalar[];

/** A list as PostgreSQL writes it. Lists of lists have to be lists of these, because unnest would flatten them. */
export const arrayLiteral = (items: readonly Scalar[]): string =>
  `{${items.map((item) => (item === null ? 'NULL' : `"${String(item).replace(/["\\]/g, '\\$&')}"`)).join(',')}}`;

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
 * Whether it is the data that PostgreSQL refused, by its SQLSTATE: data exception, integrity constraint violation or program
 * limit exceeded (as by what an index has no room for). With the same data it would fail again.
 */
export function isDataError(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && /^(22|23|54)[0-9A-Z]{3}$/.test(code);
}

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
