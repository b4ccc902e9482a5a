import { once } from 'node:events';
import { createServer } from 'node:http';
import { require as load } from 'tsx/cjs/api';

/**
 * Empty databases for the collector's tests, all on one PostgreSQL server, because each server takes a second of processor time: `GET /`
 * answers with the URL of a new one. The server starts with the first.
 */
export class Databases {
  #cluster = null;
  #server = createServer((request, response) => {
    response.setHeader('Connection', 'close');
    this.#fresh().then(
      (url) => response.end(url),
      (error) => response.writeHead(500).end(String(error)),
    );
  }).unref();

  /** Resolves to its address. */
  async open() {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  async close() {
    this.#server.close();
    await (await this.#cluster)?.remove();
  }

  async #fresh() {
    this.#cluster ??= start();
    return (await this.#cluster).freshDatabase();
  }
}

async function start() {
  const { postgresqlPrograms, startCluster } = load('../../scripts/postgresql-cluster.ts', import.meta.url);
  // To make and to drop a database waits for the disk, and nobody needs these after a power cut.
  const cluster = await startCluster(postgresqlPrograms(), ['-cfsync=off']);
  // A test file that runs in this process must be seen to leave nothing open.
  cluster.unref();
  return cluster;
}
