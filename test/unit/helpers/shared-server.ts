import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';

/** An empty database on the server of databases.mjs. */
export async function freshDatabase(databases: string): Promise<string> {
  // Not by `fetch`, which tests replace.
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(databases, resolve).on('error', reject);
  });
  const url = await text(answer);
  if (answer.statusCode !== 200) throw new Error(url);
  return url;
}

/** Once or twice: who closes a collector may do so again. */
export async function dropDatabase(url: string): Promise<void> {
  const [, name = ''] = /\/(\w+)$/.exec(url) ?? [];
  const client = new Client({ connectionString: url.replace(name, 'postgres') });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await client.end();
}
