export type Scalar = string | number | boolean | null;
export type Parameter = Scalar | readonly Scalar[];

/** A list in PostgreSQL's notation. Nested lists need it, because unnest flattens them. */
export const arrayLiteral = (items: readonly Scalar[]): string =>
  `{${items.map((item) => (item === null ? 'NULL' : `"${String(item).replace(/["\\]/g, '\\$&')}"`)).join(',')}}`;

/** Accepts statements in PostgreSQL's SQL. Results have 64-bit integers as numbers, NUMERIC as text, and times as Date. */
export interface Queries {
  /**
   * @param parameters without any, `sql` may hold several statements; the result is the last one's.
   * @param name of a statement that runs often: a server plans it once for each connection.
   */
  query<Row>(sql: string, parameters?: readonly Parameter[], name?: string): Promise<readonly Row[]>;
}

export interface Transaction extends Queries {
  /** Sends a statement together with COMMIT, to save a round trip. If it fails, everything is rolled back. */
  withCommit(sql: string): void;
}

export interface Database extends Queries {
  /** Resolves once `work` is committed and durable; rolls everything back when `work` rejects. */
  transaction<T>(work: (queries: Transaction) => Promise<T>): Promise<T>;
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

/** One connection to PostgreSQL. */
export interface Session extends Queries {
  /** Whether it sends queries immediately and in order, so that nothing must wait for the answer to BEGIN. */
  readonly isPipelined: boolean;
}

export async function inTransaction<T>(
  session: Session,
  work: (queries: Transaction) => Promise<T>,
): Promise<T> {
  const begun = session.query('BEGIN');
  if (session.isPipelined) begun.catch(() => undefined);
  else await begun;
  const last: string[] = [];
  try {
    const result = await work({
      query: (...query) => session.query(...query),
      withCommit: (sql) => void last.push(sql),
    });
    await begun;
    await session.query([...last, 'COMMIT'].join('; '));
    return result;
  } catch (error) {
    // If the connection failed, the server rolls back by itself.
    await session.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
