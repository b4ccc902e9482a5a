import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  Pool,
  types,
  type ClientBase,
  type ClientConfig,
  type CustomTypesConfig,
  type PoolClient,
} from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import pgpass from 'pgpass';
import {
  inTransaction,
  limited,
  QUESTION_MILLISECONDS,
  QuestionStopped,
  unlessStopped,
  type Database,
  type Parameter,
  type Queries,
  type Session,
  type Transaction,
  type Transactions,
} from './database';

const INT8 = 20;
const CONNECTIONS = 6;
/** Apart from the others, so that what comes in waits for no question. */
const CONNECTIONS_OF_QUESTIONS = 4;
const CONNECT_MILLISECONDS = 5_000;
/** If the database hangs, senders are told to try again. */
const STATEMENT_MILLISECONDS = 30_000;

/** Same types as PGlite. No BIGINT of the collector comes near 2^53. */
const numbers: CustomTypesConfig = {
  getTypeParser: ((oid: Parameters<typeof types.getTypeParser>[0], format?: 'text' | 'binary'): unknown =>
    (oid as number) === INT8
      ? Number
      : types.getTypeParser(oid, format)) as CustomTypesConfig['getTypeParser'],
};

/** How to reach the server. Its password is in the URL, in PGPASSWORD, or else in the file that PGPASSFILE names (`~/.pgpass`). */
function connectionTo(url: string): ClientConfig {
  const { password = '', ...server } = parseIntoClientConfig(url);
  const given = password === '' ? process.env['PGPASSWORD'] : password;
  return {
    ...server,
    password: given ?? (() => passwordFromFile(new Client(url))),
    types: numbers,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    pipeline: true,
  };
}

/** Called only when the server asks for a password. */
const passwordFromFile = (connection: Client): Promise<string> =>
  new Promise((resolve, reject) => {
    pgpass(connection, (password) => {
      if (password === undefined)
        reject(
          new Error('the server asks for a password: set PGPASSFILE to a file that has it, or PGPASSWORD'),
        );
      else resolve(password);
    });
  });

/** A PostgreSQL server, which any number of collectors may share. */
export async function openPostgres(
  url: string,
  prepare: (database: Database) => Promise<void>,
): Promise<Database> {
  await withoutLimits(url, prepare);
  const pool = openPool(url, CONNECTIONS);
  const questions = openPool(url, CONNECTIONS_OF_QUESTIONS);
  return {
    ...transactionsOn(pool),
    asking: (stop) => transactionsOn(questions, { stop, cancel: (client) => cancelQuery(pool, client) }),
    async close() {
      await Promise.all([pool.end(), questions.end()]);
    },
  };
}

function openPool(url: string, max: number): Pool {
  const pool = new Pool({
    ...connectionTo(url),
    max,
    statement_timeout: STATEMENT_MILLISECONDS,
    query_timeout: 2 * STATEMENT_MILLISECONDS,
    keepAlive: true,
  });
  // The pool replaces an idle connection that breaks; a query in progress reports the error itself.
  pool.on('error', () => undefined);
  pool.on('connect', outliveConnection);
  return pool;
}

/** What ends a query early. */
interface Stopping {
  readonly stop: AbortSignal;
  readonly cancel: (client: PoolClient) => Promise<unknown>;
}

const cancelQuery = (pool: Pool, client: PoolClient): Promise<unknown> =>
  pool
    .query('SELECT pg_cancel_backend($1)', [(client as PoolClient & { processID: number }).processID])
    .catch(() => undefined);

function transactionsOn(pool: Pool, stopping: Stopping | null = null): Transactions {
  const within = async <T>(work: (client: PoolClient, check: () => void) => Promise<T>): Promise<T> => {
    const limit = stopping === null ? null : limited(stopping.stop, QUESTION_MILLISECONDS);
    const signal = limit?.signal ?? null;
    let client: PoolClient | null = null;
    let broken = true;
    try {
      const connected = (client = await connect(pool, signal));
      const check = (): void => {
        if (signal?.aborted === true) throw new QuestionStopped(signal);
      };
      const working = work(connected, check);
      const result = await (stopping === null || signal === null
        ? working
        : untilStopped(working, signal, () => stopping.cancel(connected)));
      // The server may still act on a request to cancel.
      broken = signal?.aborted === true;
      return result;
    } finally {
      limit?.clear();
      client?.release(broken);
    }
  };
  return {
    query: (...query) =>
      stopping === null
        ? queriesOf(pool).query(...query)
        : within((client) => queriesOf(client).query(...query)),
    transaction: (work) =>
      within((client, check) =>
        inOneWrite(client, () =>
          inTransaction(sessionOf(client), (queries) => work(checked(queries, check))),
        ),
      ),
  };
}

/** Between two statements there is nothing to cancel, so each statement checks. ROLLBACK does not. */
const checked = (queries: Transaction, check: () => void): Transaction => ({
  ...queries,
  async query(...query) {
    check();
    return queries.query(...query);
  },
});

/** A connection that comes too late goes back. */
async function connect(pool: Pool, signal: AbortSignal | null): Promise<PoolClient> {
  if (signal === null) return pool.connect();
  if (signal.aborted) throw new QuestionStopped(signal);
  const connecting = pool.connect();
  return unlessStopped(connecting, signal).catch((error: unknown) => {
    connecting.then((client) => client.release()).catch(() => undefined);
    throw error;
  });
}

/** A request that comes before the statement is lost, so it is repeated. */
const CANCEL_MILLISECONDS = 250;

async function untilStopped<T>(
  working: Promise<T>,
  signal: AbortSignal,
  cancel: () => Promise<unknown>,
): Promise<T> {
  let hasEnded = false;
  let cancelled: Promise<unknown> = Promise.resolve();
  const end = async (): Promise<void> => {
    while (!hasEnded) {
      await (cancelled = cancel());
      await sleep(CANCEL_MILLISECONDS);
    }
  };
  const onAbort = (): void => void end();
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await working;
  } catch (error) {
    throw signal.aborted ? new QuestionStopped(signal) : error;
  } finally {
    hasEnded = true;
    signal.removeEventListener('abort', onAbort);
    // Otherwise it could end the connection's next query.
    await cancelled;
  }
}

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

/** The server's certificate is checked with every sslmode that encrypts. */
function withRemedy(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  return UNTRUSTED.has(code ?? '')
    ? new Error(
        `${message}: no known authority signed the server's certificate; add sslrootcert=FILE to the URL, with the file of that certificate or of its authority`,
      )
    : error;
}

async function withoutLimits(url: string, work: (database: Database) => Promise<void>): Promise<void> {
  const client = new Client(connectionTo(url));
  outliveConnection(client);
  await client.connect().catch((error: unknown) => {
    // A server that waits for a password keeps the connection, and so the process, for a minute.
    client.connection.stream.destroy();
    throw withRemedy(error);
  });
  try {
    const session = sessionOf(client);
    const transactions: Transactions = {
      ...session,
      transaction: (inner) => inTransaction(session, inner),
    };
    await work({ ...transactions, asking: () => transactions, close: () => client.end() });
  } finally {
    await client.end();
  }
}

/** Without a listener, a connection that breaks while it is in use would end the process. Its queries fail anyway. */
const outliveConnection = (client: ClientBase): void => void client.on('error', () => undefined);

/** Sends what `work` asks for at once, such as BEGIN and a first statement, in one packet. */
function inOneWrite<T>({ connection: { stream } }: PoolClient, work: () => Promise<T>): Promise<T> {
  stream.cork();
  process.nextTick(() => stream.uncork());
  return work();
}

interface Statement {
  readonly text: string;
  readonly values?: Parameter[];
  readonly name?: string;
}

interface Connection {
  query(statement: Statement): Promise<{ readonly rows: readonly unknown[] }>;
}

const sessionOf = (client: Connection): Session => ({ ...queriesOf(client), isPipelined: true });

const queriesOf = (connection: Connection): Queries => ({
  async query<Row>(text: string, parameters?: readonly Parameter[], name?: string) {
    const values = parameters === undefined ? {} : { values: [...parameters] };
    // For several statements pg returns a list of results.
    const results = [
      await connection.query({ text, ...values, ...(name === undefined ? {} : { name }) }),
    ].flat();
    return (results.at(-1)?.rows ?? []) as readonly Row[];
  },
});
