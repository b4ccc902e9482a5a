import type { FastifyInstance } from 'fastify';
import type { ReportKind } from '../../src/model/records';
import { sendDownload } from '../formats/download';
import type { Column, Download, DownloadFormat } from '../formats/table';
import { contentSecurityPolicy, renderPage } from '../page/page';
import { PAGE_SIZE, renderView } from '../page/view';
import { anyReport, type ReportFilter, type StoredReport } from '../store/reports';
import type { CollectorStore } from '../store/store';
import { refusalSchema } from './schemas';

interface ReportsQuery {
  readonly format: DownloadFormat | 'html';
  readonly after: number;
  readonly kind?: ReportKind;
  readonly reporting_origin?: string;
  readonly destination?: string;
  readonly source_event_id?: string;
  readonly received_from?: string;
  readonly received_to?: string;
}

const reportsQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    format: { enum: ['ndjson', 'csv', 'parquet', 'html'], default: 'ndjson' },
    after: {
      type: 'integer',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'Only reports that came later than the one with this cursor',
    },
    kind: { enum: ['event-level', 'event-level-debug', 'verbose-debug'] },
    reporting_origin: { type: 'string' },
    destination: { type: 'string', description: 'One of the sites of the report' },
    source_event_id: { type: 'string', pattern: '^\\d{1,20}$' },
    received_from: { type: 'string', format: 'date-time' },
    received_to: { type: 'string', format: 'date-time', description: 'The first moment that is too late' },
  },
} as const;

/** The page, and the reports for scripts. */
export function serveReports(app: FastifyInstance, store: CollectorStore): void {
  app.get('/', { schema: { hide: true } }, async (_request, reply) => {
    const page = renderPage(await store.counts(), await store.newestReports(anyReport, 0, PAGE_SIZE));
    return reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', contentSecurityPolicy)
      .send(page);
  });

  app.get<{ Querystring: ReportsQuery }>(
    '/reports',
    {
      schema: {
        summary: 'The stored reports, oldest first',
        tags: ['reports'],
        querystring: reportsQuery,
        response: {
          200: { description: 'A stream of rows', type: 'string' },
          '4xx': refusalSchema,
        },
      },
    },
    async (request, reply) => {
      const { after, format } = request.query;
      const filter = filterOf(request.query);
      if (format === 'html') {
        const view = renderView(await store.counts(), await store.newestReports(filter, after, PAGE_SIZE));
        return reply.type('text/html; charset=utf-8').send(view.markup);
      }
      return sendDownload(reply, format, reportsDownload(store.reports(filter, after)));
    },
  );
}

const filterOf = (query: ReportsQuery): ReportFilter => ({
  kind: query.kind ?? null,
  reportingOrigin: query.reporting_origin ?? null,
  destination: query.destination ?? null,
  sourceEventId: query.source_event_id ?? null,
  receivedFrom: query.received_from === undefined ? null : new Date(query.received_from),
  receivedTo: query.received_to === undefined ? null : new Date(query.received_to),
});

const reportsDownload = (rows: AsyncIterable<StoredReport>): Download<StoredReport> => ({
  name: 'reports',
  rows,
  columns,
  line,
});

/** The fields of the report as they came (a verbose report is a list: its `data`) and how they came. */
function line({ id, kind, receivedTime, reportingOrigin, reportUrl, body }: StoredReport): object {
  const report = JSON.parse(body) as object;
  return {
    ...(kind === 'verbose-debug' ? { data: report } : report),
    cursor: id,
    kind,
    received_time: receivedTime.toISOString(),
    reporting_origin: reportingOrigin,
    report_url: reportUrl,
  };
}

const columns: readonly Column<StoredReport>[] = [
  { name: 'cursor', type: 'integer', value: ({ id }) => id },
  { name: 'kind', type: 'string', value: ({ kind }) => kind },
  { name: 'received_time', type: 'time', value: ({ receivedTime }) => receivedTime },
  { name: 'reporting_origin', type: 'string', value: ({ reportingOrigin }) => reportingOrigin },
  { name: 'report_url', type: 'string', value: ({ reportUrl }) => reportUrl },
  { name: 'report_id', type: 'string', value: ({ eventLevel }) => eventLevel?.reportId ?? null },
  {
    name: 'attribution_destination',
    type: 'string',
    value: ({ eventLevel }) => eventLevel?.destinations.join(' ') ?? null,
  },
  { name: 'source_type', type: 'string', value: ({ eventLevel }) => eventLevel?.sourceType ?? null },
  {
    name: 'source_event_id',
    type: 'string',
    value: ({ eventLevel }) => eventLevel?.sourceEventId.toString() ?? null,
  },
  {
    name: 'trigger_data',
    type: 'string',
    value: ({ eventLevel }) => eventLevel?.triggerData.toString() ?? null,
  },
  {
    name: 'randomized_trigger_rate',
    type: 'number',
    value: ({ eventLevel }) => eventLevel?.randomizedTriggerRate ?? null,
  },
  {
    name: 'scheduled_report_time',
    type: 'time',
    value: ({ eventLevel }) => eventLevel?.scheduledTime ?? null,
  },
  {
    name: 'trigger_summary_bucket_first',
    type: 'integer',
    value: ({ eventLevel }) => eventLevel?.summaryBucket?.[0] ?? null,
  },
  {
    name: 'trigger_summary_bucket_last',
    type: 'integer',
    value: ({ eventLevel }) => eventLevel?.summaryBucket?.[1] ?? null,
  },
  { name: 'noisy_value', type: 'number', value: ({ eventLevel }) => eventLevel?.noisyValue ?? null },
  { name: 'body', type: 'string', value: ({ body }) => body },
];
