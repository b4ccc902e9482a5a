import { Client } from 'pg';

/** An empty database on the server of databases.mjs. */
export async function freshDatabase(databases: string): Promise<string> {
  const answer = await fetch(databases);
  const url = await answer.text();
  if (!answer.ok) throw new Error(url);
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
