export type Scalar = string | number | boolean | null;
export type Parameter = Scalar | readonly Scalar[];

/** A list in PostgreSQL's notation. Nested lists need it, because unnest flattens them. */
export const arrayLiteral = (items: readonly Scalar[]): string =>
  `{${items.map((item) => (item === null ? 'NULL' : `"${String(item).replace(/["\\]/g, '\\$&')}"`)).join(',')}}`;

/** Accepts statements in PostgreSQL's SQL. Results have 64-bit integers as numbers, NUMERIC as text, and times as Date. */
export interface Queries {
  /** @param parameters without any, `sql` may hold several statements; the result is the last one's. */
  query<Row>(sql: string, parameters?: readonly Parameter[]): Promise<readonly Row[]>;
}

export interface Database extends Queries {
  /** Resolves once `work` is committed and durable; rolls everything back when `work` rejects. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Whether PostgreSQL refused the data itself, by SQLSTATE: data exception, integrity constraint violation or program limit exceeded (such
 * as the size of an index entry). The same data would fail again.
 */
export function isDataError(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && /^(22|23|54)[0-9A-Z]{3}$/.test(code);
}

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
    // If the connection failed, the server rolls back by itself.
    await connection.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
