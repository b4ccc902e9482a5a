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

export interface Transactions extends Queries {
  /** Resolves once `work` is committed and durable; rolls everything back when `work` rejects. */
  transaction<T>(work: (queries: Transaction) => Promise<T>): Promise<T>;
}

export interface Database extends Transactions {
  /**
   * For questions, which may take long: beside the database's other work, and each statement or transaction only until `stop` is aborted or
   * the time for questions is over.
   * @throws QuestionStopped
   */
  asking(stop: AbortSignal): Transactions;
  close(): Promise<void>;
}

/** How long one statement of a question may take, in ms. */
export const QUESTION_MILLISECONDS = 20_000;

/** Nobody waits for the answer any more, or it takes too long. */
export class QuestionStopped extends Error {
  readonly statusCode = 504;

  constructor(signal: AbortSignal) {
    super(
      isTimeout(signal)
        ? 'the answer takes too long: choose fewer sources, a shorter time or another group'
        : 'nobody waits for the answer',
    );
  }
}

export const isTimeout = ({ reason }: AbortSignal): boolean =>
  reason instanceof DOMException && reason.name === 'TimeoutError';

/**
 * Is aborted as `stop` is, or when the time is over, until it is cleared. `AbortSignal.any` would lose a timeout that nothing else holds with the
 * next garbage collection (nodejs/node#57736).
 */
export function limited(
  stop: AbortSignal,
  limit: number,
): { readonly signal: AbortSignal; readonly clear: () => void } {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new DOMException('the time is over', 'TimeoutError')), limit);
  timer.unref();
  const clear = (): void => {
    clearTimeout(timer);
    stop.removeEventListener('abort', end);
  };
  const end = (): void => {
    clear();
    over.abort(stop.reason);
  };
  if (stop.aborted) end();
  else stop.addEventListener('abort', end);
  return { signal: over.signal, clear };
}

/** Resolves as `work` does, unless the signal comes first. */
export function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(new QuestionStopped(signal));
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new QuestionStopped(signal));
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
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
