import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../src/model/json';
import type { ReportKind } from '../../src/model/records';
import type { Parser } from '../../formats/codec/codec';
import { parse } from '../../formats/codec/issues';
import { english } from '../../words/english';
import { aggregatableReport, type SharedInfo } from '../../formats/reports/aggregatable-report';
import { eventLevelReport, type EventLevelBody } from '../../formats/reports/event-level-report';
import { amongWriters } from './arrival';
import { arrayLiteral, type Queries, type Scalar } from './database';
import { firstReports } from './outcomes';
import { conditions, needsLog, Parameters, type SourceFilter } from './source-filter';

/** What of a token is kept, so that no other report spends it. */
export interface SpentToken {
  /** In base64url. */
  readonly nonce: string;
  readonly keyId: string;
}

/** A checked report that is not stored yet. */
export interface ReceivedReport {
  readonly kind: ReportKind;
  /** The report's own id; a verbose debug report has none and gets one here. */
  readonly reportId: string;
  readonly reportingOrigin: string;
  /** The original URL of the report, in collector mode. */
  readonly reportUrl: string | null;
  readonly receivedTime: Date;
  /** The JSON text as received. */
  readonly body: string;
  /** Null for a report of another kind. */
  readonly eventLevel: EventLevelBody | null;
  /** Only for an aggregatable report. */
  readonly sharedInfo?: SharedInfo;
  /** The token that it spends, if it brought one. */
  readonly token?: SpentToken;
}

/** The approximate cost of a row beyond the body. */
const ROW_BYTES = 500;

/** The approximate size of a stored report. */
export const bytesOf = ({ body }: ReceivedReport): number => Buffer.byteLength(body) + ROW_BYTES;

export interface StoredReport extends ReceivedReport {
  /** Grows in order of arrival; reports that arrived together may be swapped. */
  readonly id: number;
}

/** A report with the kind and id of a stored one is not stored again; its content may conflict. */
export type Outcome = 'stored' | 'duplicate' | 'conflicting';

const keyOf = ({ kind, reportId }: Pick<ReceivedReport, 'kind' | 'reportId'>): string =>
  `${kind} ${reportId}`;

/** Stores new reports, and returns the outcome of each. If several have one id, the first is stored. */
export async function insertReports(
  queries: Queries,
  reports: readonly ReceivedReport[],
): Promise<readonly Outcome[]> {
  const first = new Map<string, ReceivedReport>();
  for (const report of reports) if (!first.has(keyOf(report))) first.set(keyOf(report), report);
  const stored = await insertDistinct(queries, [...first.values()]);
  const known = await bodiesOf(
    queries,
    [...first].filter(([key]) => !stored.has(key)).map(([, report]) => report),
  );
  return reports.map((report) => {
    const key = keyOf(report);
    if (stored.has(key) && first.get(key) === report) return 'stored';
    return saysTheSame(report, known.get(key) ?? first.get(key)?.body ?? '') ? 'duplicate' : 'conflicting';
  });
}

/** Each column with its type and its value for a report. */
const columns: readonly (readonly [name: string, type: string, value: (report: ReceivedReport) => Scalar])[] =
  [
    ['kind', 'TEXT', ({ kind }) => kind],
    ['report_id', 'TEXT', ({ reportId }) => reportId],
    ['reporting_origin', 'TEXT', ({ reportingOrigin }) => reportingOrigin],
    ['report_url', 'TEXT', ({ reportUrl }) => reportUrl],
    ['received_time', 'TIMESTAMPTZ', ({ receivedTime }) => receivedTime.toISOString()],
    ['scheduled_time', 'TIMESTAMPTZ', (report) => scheduledTimeOf(report)?.toISOString() ?? null],
    [
      'destinations',
      'TEXT[]',
      (report) => {
        const destinations = destinationsOf(report);
        return destinations.length === 0 ? null : arrayLiteral(destinations);
      },
    ],
    ['source_type', 'TEXT', ({ eventLevel }) => eventLevel?.sourceType ?? null],
    ['source_event_id', 'NUMERIC', ({ eventLevel }) => eventLevel?.sourceEventId.toString() ?? null],
    ['trigger_data', 'NUMERIC', ({ eventLevel }) => eventLevel?.triggerData.toString() ?? null],
    [
      'randomized_trigger_rate',
      'DOUBLE PRECISION',
      ({ eventLevel }) => eventLevel?.randomizedTriggerRate?.toString() ?? null,
    ],
    ['bucket_first', 'BIGINT', ({ eventLevel }) => eventLevel?.summaryBucket?.[0].toString() ?? null],
    ['bucket_last', 'BIGINT', ({ eventLevel }) => eventLevel?.summaryBucket?.[1].toString() ?? null],
    ['noisy_value', 'DOUBLE PRECISION', ({ eventLevel }) => eventLevel?.noisyValue?.toString() ?? null],
    ['body', 'TEXT', ({ body }) => body],
  ];

const names = columns.map(([name]) => name);

const insertion = `INSERT INTO reports (${names.join(', ')})
  SELECT ${columns.map(([name, type]) => (type === 'TEXT' ? name : `${name}::${type}`)).join(', ')}
  FROM unnest(${columns.map((_, index) => `$${index + 1}::TEXT[]`).join(', ')}) AS batch (${names.join(', ')}), ${amongWriters('reports')}
  ON CONFLICT DO NOTHING
  RETURNING kind, report_id`;

/** @returns the keys of those that were new. */
async function insertDistinct(
  queries: Queries,
  reports: readonly ReceivedReport[],
): Promise<ReadonlySet<string>> {
  // A common order avoids deadlocks between collectors that store the same reports.
  const sorted = [...reports].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const rows = await queries.query<{ kind: ReportKind; report_id: string }>(
    insertion,
    columns.map(([, , value]) => sorted.map(value)),
    'insert-reports',
  );
  return new Set(rows.map(({ kind, report_id: reportId }) => keyOf({ kind, reportId })));
}

async function bodiesOf(
  queries: Queries,
  reports: readonly ReceivedReport[],
): Promise<ReadonlyMap<string, string>> {
  if (reports.length === 0) return new Map();
  const rows = await queries.query<{ kind: ReportKind; report_id: string; body: string }>(
    `SELECT kind, report_id, body FROM reports
     WHERE (report_id, kind) IN (SELECT * FROM unnest($1::TEXT[], $2::TEXT[]))`,
    [reports.map(({ reportId }) => reportId), reports.map(({ kind }) => kind)],
  );
  return new Map(rows.map(({ kind, report_id: reportId, body }) => [keyOf({ kind, reportId }), body]));
}

/** Each repetition of a report seals the payload anew. */
const saysTheSame = ({ kind, body }: ReceivedReport, other: string): boolean => {
  const [a, b] = [body, other].map((text) => JSON.parse(text) as JsonObject);
  return isAggregatable(kind) ? a?.['shared_info'] === b?.['shared_info'] : isDeepStrictEqual(a, b);
};

const isAggregatable = (kind: ReportKind): boolean =>
  kind === 'aggregatable' || kind === 'aggregatable-debug' || kind === 'aggregate-debug';

/** When an event-level or aggregatable report was due. */
export function scheduledTimeOf({ eventLevel, sharedInfo }: ReceivedReport): Date | null {
  const time = eventLevel?.scheduledTime ?? sharedInfo?.scheduledTime;
  return time === undefined ? null : new Date(time);
}

export const destinationsOf = ({ eventLevel, sharedInfo }: ReceivedReport): readonly string[] =>
  eventLevel?.destinations ?? (sharedInfo === undefined ? [] : [sharedInfo.destination]);

/** Null does not restrict. */
export interface ReportFilter {
  readonly kind: ReportKind | null;
  readonly reportingOrigin: string | null;
  readonly destination: string | null;
  /** In decimal. */
  readonly sourceEventId: string | null;
  readonly receivedFrom: Date | null;
  /** Exclusive. */
  readonly receivedTo: Date | null;
  readonly ofSources: SourceFilter;
}

/** A range of ids. */
export interface Slice {
  readonly order: 'oldest first' | 'newest first';
  readonly limit: number;
  /** Exclusive. */
  readonly after: number;
  /** Inclusive. */
  readonly upTo: number;
}

/** The columns of `reports` that are not in the body. */
interface Row {
  readonly id: number;
  readonly kind: ReportKind;
  readonly report_id: string;
  readonly reporting_origin: string;
  readonly report_url: string | null;
  readonly received_time: Date;
  readonly body: string;
}

const COLUMNS = 'id, kind, report_id, reporting_origin, report_url, received_time, body';

export async function selectReports(
  queries: Queries,
  filter: ReportFilter,
  { order, limit, after, upTo }: Slice,
): Promise<readonly StoredReport[]> {
  const parameters = new Parameters();
  const wanted = [
    `id > ${parameters.add(after)} AND id <= ${parameters.add(upTo)}`,
    ...equalities(filter).map(([condition, value]) => condition(parameters.add(value))),
    sourceCondition(filter.ofSources, parameters),
  ];
  const rows = await queries.query<Row>(
    `SELECT ${COLUMNS} FROM reports r WHERE ${wanted.join(' AND ')}
     ORDER BY id ${order === 'newest first' ? 'DESC' : 'ASC'} LIMIT ${parameters.add(limit)}`,
    parameters.values,
  );
  return rows.map(reportOfRow);
}

type Condition = (place: string) => string;

/** The conditions in use, each with its value. */
const equalities = (filter: ReportFilter): readonly (readonly [Condition, string])[] =>
  (
    [
      [(place) => `kind = ${place}::TEXT`, filter.kind],
      [(place) => `reporting_origin = ${place}::TEXT`, filter.reportingOrigin],
      [(place) => `${place}::TEXT = ANY(destinations)`, filter.destination],
      [(place) => `source_event_id = ${place}::NUMERIC`, filter.sourceEventId],
      [(place) => `received_time >= ${place}::TIMESTAMPTZ`, filter.receivedFrom?.toISOString() ?? null],
      [(place) => `received_time < ${place}::TIMESTAMPTZ`, filter.receivedTo?.toISOString() ?? null],
    ] satisfies (readonly [Condition, string | null])[]
  ).flatMap(([condition, value]) => (value === null ? [] : [[condition, value] as const]));

const sourceCondition = (filter: SourceFilter, parameters: Parameters): string =>
  needsLog(filter)
    ? `(source_event_id, reporting_origin) IN (
         SELECT s.source_event_id, s.reporting_origin FROM sources s WHERE ${conditions(filter, 's', parameters)})`
    : conditions(filter, 'r', parameters);

/** The first event-level reports of each of some sources, without debug copies: anybody can send a source more. */
export async function selectReportsOfSources(
  queries: Queries,
  sources: readonly { readonly sourceEventId: bigint; readonly reportingOrigin: string }[],
): Promise<readonly StoredReport[]> {
  const rows = await queries.query<Row>(
    `SELECT ${COLUMNS.replaceAll(/\w+/g, 'r.$&')} FROM (
       SELECT DISTINCT event_id::NUMERIC AS source_event_id, origin AS reporting_origin
       FROM unnest($1::TEXT[], $2::TEXT[]) AS source (event_id, origin)) AS s
     CROSS JOIN ${firstReports(Number.MAX_SAFE_INTEGER)} ORDER BY r.id`,
    [
      sources.map(({ sourceEventId }) => String(sourceEventId)),
      sources.map(({ reportingOrigin }) => reportingOrigin),
    ],
  );
  return rows.map(reportOfRow);
}

function reportOfRow(row: Row): StoredReport {
  return {
    id: row.id,
    kind: row.kind,
    reportId: row.report_id,
    reportingOrigin: row.reporting_origin,
    reportUrl: row.report_url,
    receivedTime: row.received_time,
    body: row.body,
    eventLevel: null,
    ...factsOf(row.kind, row.body),
  };
}

/** What a checked body says. */
export function factsOf(
  kind: ReportKind,
  body: string,
): Partial<Pick<StoredReport, 'eventLevel' | 'sharedInfo'>> {
  if (kind === 'verbose-debug') return {};
  return isAggregatable(kind)
    ? { sharedInfo: stored(body, aggregatableReport).sharedInfo.info }
    : { eventLevel: eventLevelOf(body) };
}

const eventLevelOf = (body: string): EventLevelBody => stored(body, eventLevelReport);

/** The body was checked before it was stored. */
function stored<T>(body: string, parser: Parser<T>): T {
  const { value, errors } = parse(JSON.parse(body) as Json, parser);
  if (value === null) throw new Error(`a stored report is not valid: ${english.issuesText(errors)}`);
  return value;
}
