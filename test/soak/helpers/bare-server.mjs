import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import pg from 'pg';

/*
 * What a collector cannot do without. With a PostgreSQL store, it inserts each report by itself and answers once that is durable; a question
 * counts the rows. With any other store, it parses each report, forgets it and answers. It starts with the collector's words on the command line.
 */

const [, store] = process.argv.slice(process.argv.indexOf('--store'));
const pool = store.startsWith('postgres:') ? new pg.Pool({ connectionString: store, max: 6 }) : null;
await pool?.query('CREATE TABLE bare (id TEXT PRIMARY KEY, body TEXT NOT NULL)');

async function answer(request) {
  const body = await text(request);
  if (request.method === 'GET') return pool?.query('SELECT count(*) FROM bare');
  return (
    pool?.query('INSERT INTO bare VALUES ($1, $2)', [JSON.parse(body).report_id, body]) ?? JSON.parse(body)
  );
}

const server = createServer((request, response) => {
  answer(request).then(
    () => response.end(),
    () => response.writeHead(400).end(),
  );
});
server.listen(0, '127.0.0.1', () =>
  process.stderr.write(`the collector listens at http://127.0.0.1:${server.address().port}\n`),
);
