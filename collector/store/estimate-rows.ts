import type { SourceType } from '../../src/model/limits';
import type { Queries } from './database';
import { conditions, needsLog, Parameters, valueOf, WITH_SOURCES, type SourceFilter } from './source-filter';

/** What an estimate needs of a source. */
export interface SourceRow {
  readonly id: number;
  readonly reporting_origin: string;
  readonly source_event_id: string;
  readonly destinations: readonly string[];
  readonly source_type: SourceType;
  readonly source_time: Date;
  readonly configuration: string;
  /** What it is grouped by, in the order that was asked for. */
  readonly grouped: readonly string[];
}

/** What an estimate needs of an event-level report. */
export interface ReportRow {
  readonly id: number;
  readonly report_id: string;
  readonly reporting_origin: string;
  readonly source_event_id: string;
  readonly destinations: readonly string[];
  readonly source_type: SourceType;
  readonly trigger_data: string;
  readonly randomized_trigger_rate: number | null;
  readonly received_time: Date;
  readonly scheduled_time: Date;
  readonly bucket_first: number | null;
  readonly bucket_last: number | null;
  readonly noisy_value: number | null;
}

export interface IdSlice {
  readonly limit: number;
  /** Only greater ids. */
  readonly after: number;
  /** Only ids up to this one. */
  readonly upTo: number;
}

export function selectSourceRows(
  queries: Queries,
  filter: SourceFilter,
  groupBy: readonly string[],
  slice: IdSlice,
): Promise<readonly SourceRow[]> {
  const parameters = new Parameters();
  const grouped = groupBy.map((name) => valueOf(name, 's', parameters));
  return queries.query<SourceRow>(
    `SELECT s.id, s.reporting_origin, s.source_event_id, s.destinations, s.source_type, s.source_time, s.configuration,
       ARRAY[${grouped.join(', ')}]::TEXT[] AS grouped
     FROM sources s WHERE ${within('s', slice, parameters)} AND ${conditions(filter, 's', parameters)}
     ORDER BY s.id LIMIT ${parameters.add(slice.limit)}`,
    parameters.values,
  );
}

export function selectReportRows(
  queries: Queries,
  filter: SourceFilter,
  slice: IdSlice,
): Promise<readonly ReportRow[]> {
  const parameters = new Parameters();
  const [tables, alias] = needsLog(filter) ? [WITH_SOURCES, 's'] : ['reports r', 'r'];
  return queries.query<ReportRow>(
    `SELECT r.id, r.report_id, r.reporting_origin, r.source_event_id, r.destinations, r.source_type, r.trigger_data,
       r.randomized_trigger_rate, r.received_time, r.scheduled_time, r.bucket_first, r.bucket_last, r.noisy_value
     FROM ${tables}
     WHERE r.kind = 'event-level' AND ${within('r', slice, parameters)} AND ${conditions(filter, alias, parameters)}
     ORDER BY r.id LIMIT ${parameters.add(slice.limit)}`,
    parameters.values,
  );
}

const within = (alias: string, { after, upTo }: IdSlice, parameters: Parameters): string =>
  `${alias}.id > ${parameters.add(after)} AND ${alias}.id <= ${parameters.add(upTo)}`;

/** How many stored reports are of another kind, by kind. */
export async function selectOtherKinds(queries: Queries): Promise<ReadonlyMap<string, number>> {
  const rows = await queries.query<{ kind: string; reports: number }>(
    `SELECT kind, count(*)::BIGINT AS reports FROM reports WHERE kind <> 'event-level' GROUP BY kind ORDER BY kind`,
    [],
  );
  return new Map(rows.map(({ kind, reports }) => [kind, reports]));
}
