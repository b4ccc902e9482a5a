import { Client, Pool, types, type CustomTypesConfig } from 'pg';
import { inTransaction, type Database, type Parameter, type Queries } from './database';

const INT8 = 20;
const CONNECTIONS = 10;
const CONNECT_MILLISECONDS = 5_000;
/** A database that hangs must not keep senders waiting: they are told to try again. */
const STATEMENT_MILLISECONDS = 30_000;

/** As PGlite has it. No number that the collector keeps in a BIGINT comes near 2^53. */
const numbers: CustomTypesConfig = {
  getTypeParser: ((oid: Parameters<typeof types.getTypeParser>[0], format?: 'text' | 'binary'): unknown =>
    (oid as number) === INT8
      ? Number
      : types.getTypeParser(oid, format)) as CustomTypesConfig['getTypeParser'],
};

/** A PostgreSQL server. Any number of collectors may share it. */
export async function openPostgres(
  url: string,
  prepare: (database: Database) => Promise<void>,
): Promise<Database> {
  await withoutLimits(url, prepare);
  const pool = new Pool({
    connectionString: url,
    types: numbers,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    statement_timeout: STATEMENT_MILLISECONDS,
    query_timeout: 2 * STATEMENT_MILLISECONDS,
    keepAlive: true,
  });
  // A connection that breaks while nobody uses it is replaced; who uses one hears of it from the query.
  pool.on('error', () => undefined);
  return {
    ...queriesOf(pool),
    async transaction(work) {
      const client = await pool.connect();
      let broken = true;
      try {
        const result = await inTransaction(queriesOf(client), work);
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
  const client = new Client({
    connectionString: url,
    types: numbers,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
  });
  await client.connect();
  try {
    const queries = queriesOf(client);
    await work({
      ...queries,
      transaction: (inner) => inTransaction(queries, inner),
      close: () => client.end(),
    });
  } finally {
    await client.end();
  }
}

interface Connection {
  query(sql: string, parameters?: readonly Parameter[]): Promise<{ readonly rows: readonly unknown[] }>;
}

const queriesOf = (connection: Connection): Queries => ({
  async query<Row>(sql: string, parameters?: readonly Parameter[]) {
    // Of several statements pg gives a list of results.
    const results = [await connection.query(sql, parameters)].flat();
    return (results.at(-1)?.rows ?? []) as readonly Row[];
  },
});
