import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import fastify from 'fastify';
import { openDatabase } from '../collector/store/open-database';
import { migrate } from '../collector/store/migrations';
import { insertReports, type ReceivedReport } from '../collector/store/reports';
import { PATH, receivedReport } from './received-report';

/*
 * The least that a collector can do, which is the floor of its ingest: it parses each report, inserts what came in while the last batch was
 * written, and answers when the batch is durable. It has no limits, no counts, no tokens and no journal. With `--framework` the requests come
 * through Fastify, with its checks of the type, length and time of a request, and nothing more. Its words are the collector's.
 */

interface Waiting {
  readonly report: ReceivedReport;
  readonly done: () => void;
}

/** Resolves once the report is durable. */
type Store = (report: string) => Promise<void>;

async function openStore(store: string): Promise<Store> {
  const database = await openDatabase(store, migrate);
  let waiting: Waiting[] = [];
  let writing = false;

  async function write(): Promise<void> {
    if (writing) return;
    writing = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await database.transaction((queries) =>
        insertReports(
          queries,
          batch.map(({ report }) => report),
        ),
      );
      for (const { done } of batch) done();
    }
    writing = false;
  }

  return (body) =>
    new Promise((done) => {
      waiting.push({ report: receivedReport(body), done });
      void write();
    });
}

const started = (port: number): void =>
  void process.stderr.write(`the collector listens at http://127.0.0.1:${port}\n`);

function serveBare(store: Store): void {
  const server = createServer((request, response) => {
    void text(request)
      .then(store)
      .then(() => response.end());
  });
  server.listen(0, '127.0.0.1', () => started((server.address() as AddressInfo).port));
}

async function serveFramework(store: Store): Promise<void> {
  const app = fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, parsed) =>
    parsed(null, body),
  );
  app.post(PATH, async (request, reply) => {
    await store(request.body as string);
    return reply.code(200).send();
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  started((app.server.address() as AddressInfo).port);
}

async function serve(store: string, inFramework: boolean): Promise<void> {
  const opened = await openStore(store);
  if (inFramework) await serveFramework(opened);
  else serveBare(opened);
  // At once, whatever is under way: nobody reads its store.
  process.once('SIGTERM', () => process.exit());
}

const [, store = ''] = process.argv.slice(process.argv.indexOf('--store'));
void serve(store, process.argv.includes('--framework'));
