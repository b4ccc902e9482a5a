import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { openDatabase } from '../collector/store/open-database';
import { migrate } from '../collector/store/migrations';
import { insertReports, type ReceivedReport } from '../collector/store/reports';
import { receivedReport } from './received-report';

/*
 * The least that a collector can do, which is the floor of its ingest: it parses each report, inserts what came in while the last batch was
 * written, and answers when the batch is durable. It has no limits, no counts, no tokens and no journal. Its words are the collector's.
 */

interface Waiting {
  readonly report: ReceivedReport;
  readonly done: () => void;
}

async function serve(store: string): Promise<void> {
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

  const server = createServer((request, response) => {
    void text(request).then((body) => {
      waiting.push({ report: receivedReport(body), done: () => response.end() });
      return write();
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stderr.write(`the collector listens at http://127.0.0.1:${port}\n`);
  });
  // At once, whatever is under way: nobody reads its store.
  process.once('SIGTERM', () => process.exit());
}

const [, store = ''] = process.argv.slice(process.argv.indexOf('--store'));
void serve(store);
