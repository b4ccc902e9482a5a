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
import { inTransaction, type Database, type Parameter, type Queries, type Session } from './database';

const INT8 = 20;
const CONNECTIONS = 10;
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
  const pool = new Pool({
    ...connectionTo(url),
    max: CONNECTIONS,
    statement_timeout: STATEMENT_MILLISECONDS,
    query_timeout: 2 * STATEMENT_MILLISECONDS,
    keepAlive: true,
  });
  // The pool replaces an idle connection that breaks; a query in progress reports the error itself.
  pool.on('error', () => undefined);
  pool.on('connect', outliveConnection);
  return {
    ...queriesOf(pool),
    async transaction(work) {
      const client = await pool.connect();
      let broken = true;
      try {
        const result = await inOneWrite(client, () => inTransaction(sessionOf(client), work));
        broken = false;
        return result;
      } finally {
        client.release(broken);
      }
    },
    close: () => pool.end(),
  };
}

async function withoutLimits(url: string, work: (database: Database) => Promise<void>): Promise<void> {
  const client = new Client(connectionTo(url));
  outliveConnection(client);
  await client.connect().catch((error: unknown) => {
    // A server that waits for a password keeps the connection, and so the process, for a minute.
    client.connection.stream.destroy();
    throw error;
  });
  try {
    const session = sessionOf(client);
    await work({
      ...session,
      transaction: (inner) => inTransaction(session, inner),
      close: () => client.end(),
    });
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
