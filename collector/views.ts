import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { ReportKind } from '../src/model/records';
import { contentSecurityPolicy, renderPage } from './page/page';
import { PAGE_SIZE, renderView } from './page/view';
import type { CollectorStore, StoredReport } from './store';

interface ReportsQuery {
  readonly after: number;
  readonly kind?: ReportKind;
  readonly format: 'ndjson' | 'html';
}

const reportsQuery = {
  type: 'object',
  properties: {
    after: { type: 'integer', minimum: 0, default: 0 },
    kind: { enum: ['event-level', 'event-level-debug', 'verbose-debug'] },
    format: { enum: ['ndjson', 'html'], default: 'ndjson' },
  },
} as const;

/** How many reports are read from the store at a time for a download. */
const BATCH = 500;

/** What people and scripts read: the page, the reports as NDJSON, and whether the collector is well. */
export function serveViews(app: FastifyInstance, store: CollectorStore): void {
  const newest = (after: number, kind: ReportKind | null): Promise<readonly StoredReport[]> =>
    store.list({ order: 'newest first', limit: PAGE_SIZE, after, kind });

  app.get('/', async (_request, reply) => {
    const page = renderPage(await store.counts(), await newest(0, null));
    return reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', contentSecurityPolicy)
      .send(page);
  });

  app.get<{ Querystring: ReportsQuery }>(
    '/reports',
    { schema: { querystring: reportsQuery } },
    async (request, reply) => {
      const { after, kind = null, format } = request.query;
      if (format === 'html') {
        const view = renderView(await store.counts(), await newest(after, kind));
        return reply.type('text/html; charset=utf-8').send(view.markup);
      }
      return reply.type('application/x-ndjson').send(Readable.from(lines(store, after, kind)));
    },
  );

  app.get('/healthz', async (request, reply) => {
    try {
      await store.counts();
      return { status: 'ok' };
    } catch (error) {
      request.log.error(error);
      return reply.code(503).send({ status: 'the store does not answer' });
    }
  });
}

async function* lines(store: CollectorStore, after: number, kind: ReportKind | null): AsyncGenerator<string> {
  let last = after;
  for (;;) {
    const reports = await store.list({ order: 'oldest first', limit: BATCH, after: last, kind });
    for (const report of reports) yield `${JSON.stringify(lineOf(report))}\n`;
    if (reports.length < BATCH) return;
    last = reports.at(-1)?.id ?? last;
  }
}

/** The fields of the report as they came (a verbose report is a list: its `data`) and how they came. */
function lineOf({ kind, receivedTime, reportingOrigin, reportUrl, body }: StoredReport): object {
  const report = JSON.parse(body) as object;
  return {
    ...(kind === 'verbose-debug' ? { data: report } : report),
    kind,
    received_time: receivedTime.toISOString(),
    reporting_origin: reportingOrigin,
    report_url: reportUrl,
  };
}
