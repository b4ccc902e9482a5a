import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import pg from 'pg';

/*
 * The least that a collector does: it inserts each report by itself and answers once that is durable. A question counts the rows. It starts with the
 * collector's words on the command line.
 */

const [, store] = process.argv.slice(process.argv.indexOf('--store'));
const pool = new pg.Pool({ connectionString: store, max: 6 });
await pool.query('CREATE TABLE bare (id TEXT PRIMARY KEY, body TEXT NOT NULL)');

async function answer(request) {
  const body = await text(request);
  if (request.method === 'GET') return pool.query('SELECT count(*) FROM bare');
  return pool.query('INSERT INTO bare VALUES ($1, $2)', [JSON.parse(body).report_id, body]);
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
