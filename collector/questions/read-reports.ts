import type { FastifyInstance } from 'fastify';
import type { ReportKind } from '../../src/model/records';
import { moment } from '../../src/model/units';
import { arrival } from '../../formats/reports/report-line';
import { reportKinds } from '../../formats/reports/report-kind';
import { downloading } from '../http/asking';
import { sendDownload } from '../http/download';
import type { Column, Download } from '../http/table';
import type { Questions } from '../store/questions';
import { destinationsOf, scheduledTimeOf, type ReportFilter, type StoredReport } from '../store/reports';
import type { CollectorStore } from '../store/store';
import { downloadSchema, type DownloadQuery } from '../http/schemas';
import { sourceFilterOf, timeOf } from '../http/source-query';

interface ReportsQuery extends DownloadQuery {
  readonly after: number;
  readonly latest?: number;
  readonly kind?: ReportKind;
  readonly reporting_origin?: string;
  readonly destination?: string;
  readonly source_event_id?: string;
  readonly received_from?: string;
  readonly received_to?: string;
}

const MAX_LATEST = 1000;

const reportsQuery = {
  after: {
    type: 'integer',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: 'Only reports that came later than the one with this cursor',
  },
  latest: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_LATEST,
    description: 'Only so many, the newest, newest first',
  },
  kind: { enum: reportKinds },
  reporting_origin: { type: 'string' },
  destination: { type: 'string', description: 'One of the sites of the report' },
  source_event_id: { type: 'string', pattern: '^\\d{1,20}$' },
  received_from: { type: 'string', format: 'date-time' },
  received_to: { type: 'string', format: 'date-time', description: 'The first moment that is too late' },
} as const;

export function serveReports(app: FastifyInstance, store: CollectorStore): void {
  app.get<{ Querystring: ReportsQuery }>(
    '/reports',
    { schema: downloadSchema('reports', 'The stored reports, oldest first', reportsQuery) },
    async (request, reply) => {
      const { after, format, latest } = request.query;
      const filter = filterOf(request.query);
      const asked = await downloading(store, reply);
      const rows = latest === undefined ? asked.reports(filter, after) : newest(asked, filter, after, latest);
      return sendDownload(reply, format, reportsDownload(rows));
    },
  );
}

async function* newest(
  store: Questions,
  filter: ReportFilter,
  after: number,
  limit: number,
): AsyncGenerator<StoredReport> {
  yield* await store.newestReports(filter, after, limit);
}

const filterOf = (query: ReportsQuery): ReportFilter => ({
  kind: query.kind ?? null,
  reportingOrigin: query.reporting_origin ?? null,
  destination: query.destination ?? null,
  sourceEventId: query.source_event_id ?? null,
  receivedFrom: timeOf('received_from', query.received_from),
  receivedTo: timeOf('received_to', query.received_to),
  ofSources: sourceFilterOf(query),
});

const reportsDownload = (rows: AsyncIterable<StoredReport>): Download<StoredReport> => ({
  name: 'reports',
  rows,
  columns,
  line,
});

/** The report's fields as received (for a verbose report, a list in `data`), and how it arrived. */
function line({ id: cursor, receivedTime, body, ...stored }: StoredReport): object {
  const report = JSON.parse(body) as object;
  const received = moment(receivedTime.getTime());
  return {
    ...(stored.kind === 'verbose-debug' ? { data: report } : report),
    ...arrival.write({ ...stored, cursor, receivedTime: received }),
  };
}

const columns: readonly Column<StoredReport>[] = [
  { name: 'cursor', type: 'integer', value: ({ id }) => id },
  { name: 'kind', type: 'string', value: ({ kind }) => kind },
  { name: 'received_time', type: 'time', value: ({ receivedTime }) => receivedTime },
  { name: 'reporting_origin', type: 'string', value: ({ reportingOrigin }) => reportingOrigin },
  { name: 'report_url', type: 'string', value: ({ reportUrl }) => reportUrl },
  {
    name: 'report_id',
    type: 'string',
    value: ({ eventLevel, sharedInfo }) => (eventLevel ?? sharedInfo)?.reportId ?? null,
  },
  {
    name: 'attribution_destination',
    type: 'string',
    value: (report) => destinationsOf(report).join(' '),
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
    value: scheduledTimeOf,
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
