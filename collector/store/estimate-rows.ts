import type { SourceType } from '../../src/model/limits';
import type { TrueCount } from '../truth/true-counts';
import type { Queries } from './database';
import { conditions, needsLog, Parameters, valueOf, WITH_SOURCES, type SourceFilter } from './source-filter';

/** A source as the estimates need it. */
export interface SourceRow {
  readonly id: number;
  readonly reporting_origin: string;
  readonly source_event_id: string;
  readonly destinations: readonly string[];
  readonly source_type: SourceType;
  readonly source_time: Date;
  readonly configuration: string;
  /** The values of the requested groups, in the requested order. */
  readonly grouped: readonly string[];
}

/** An event-level report and how it arrived. */
export interface ReportRow {
  readonly id: number;
  readonly reporting_origin: string;
  readonly received_time: Date;
  readonly body: string;
}

/** The number of sources of a configuration and group, by whether their last report window is still open. */
export interface SourceTotal {
  readonly configuration: string;
  readonly grouped: readonly string[];
  readonly open: boolean;
  readonly sources: number;
}

/** The highest ids to count, so that several statements see the same rows. */
export interface Bounds {
  readonly sources: number;
  readonly reports: number;
}

/** A configuration and a time: sources registered later still have an open window. */
export interface OpenAfter {
  readonly configuration: string;
  readonly time: Date;
}

/** In order of first arrival. */
export function selectSourceTotals(
  queries: Queries,
  filter: SourceFilter,
  groupBy: readonly string[],
  openAfter: readonly OpenAfter[],
  bounds: Bounds,
): Promise<readonly SourceTotal[]> {
  const parameters = new Parameters();
  const ids = parameters.add(openAfter.map(({ configuration }) => configuration));
  const times = parameters.add(openAfter.map(({ time }) => time.toISOString()));
  return queries.query<SourceTotal>(
    `SELECT s.configuration, ${groupsOf(groupBy, parameters)} AS grouped, s.source_time > bound.time AS open,
       count(*)::BIGINT AS sources
     FROM sources s JOIN unnest(${ids}::TEXT[], ${times}::TIMESTAMPTZ[]) AS bound (id, time) ON bound.id = s.configuration
     WHERE s.id <= ${parameters.add(bounds.sources)} AND ${conditions(filter, 's', parameters)}
     GROUP BY 1, 2, 3 ORDER BY min(s.id)`,
    parameters.values,
  );
}

/** What happened to the complete sources of a configuration and group. */
export interface TrueTotal {
  readonly configuration: string;
  readonly grouped: readonly string[];
  readonly conversions: number;
  /** How many sources have one. */
  readonly converted: number;
}

export function selectTrueTotals(
  queries: Queries,
  filter: SourceFilter,
  groupBy: readonly string[],
  openAfter: readonly OpenAfter[],
  truth: readonly TrueCount[],
): Promise<readonly TrueTotal[]> {
  const parameters = new Parameters();
  const ids = parameters.add(openAfter.map(({ configuration }) => configuration));
  const times = parameters.add(openAfter.map(({ time }) => time.toISOString()));
  const events = parameters.add(truth.map(({ sourceEventId }) => sourceEventId));
  const origins = parameters.add(truth.map(({ reportingOrigin }) => reportingOrigin));
  const reports = parameters.add(truth.map((found) => String(found.reports)));
  return queries.query<TrueTotal>(
    `SELECT s.configuration, ${groupsOf(groupBy, parameters)} AS grouped, sum(happened.reports)::BIGINT AS conversions,
       count(*)::BIGINT AS converted
     FROM sources s JOIN unnest(${ids}::TEXT[], ${times}::TIMESTAMPTZ[]) AS bound (id, time) ON bound.id = s.configuration
     JOIN unnest(${events}::NUMERIC[], ${origins}::TEXT[], ${reports}::BIGINT[]) AS happened (event, origin, reports)
       ON happened.event = s.source_event_id AND happened.origin = s.reporting_origin
     WHERE s.source_time <= bound.time AND ${conditions(filter, 's', parameters)}
     GROUP BY 1, 2 ORDER BY 1, 2`,
    parameters.values,
  );
}

/** Sources with event-level reports, in order of arrival. */
export function selectReportedSources(
  queries: Queries,
  filter: SourceFilter,
  groupBy: readonly string[],
  bounds: Bounds,
  page: Page,
): Promise<readonly SourceRow[]> {
  const parameters = new Parameters();
  const grouped = groupsOf(groupBy, parameters);
  return queries.query<SourceRow>(
    `SELECT s.id, s.reporting_origin, s.source_event_id, s.destinations, s.source_type, s.source_time, s.configuration,
       ${grouped} AS grouped
     FROM sources s
     WHERE s.id > ${parameters.add(page.after)} AND s.id <= ${parameters.add(bounds.sources)}
       AND ${conditions(filter, 's', parameters)}
       AND (s.source_event_id, s.reporting_origin) IN (
         SELECT r.source_event_id, r.reporting_origin FROM reports r
         WHERE r.kind = 'event-level' AND r.id <= ${parameters.add(bounds.reports)})
     ORDER BY s.id LIMIT ${parameters.add(page.limit)}`,
    parameters.values,
  );
}

const groupsOf = (groupBy: readonly string[], parameters: Parameters): string =>
  `ARRAY[${groupBy.map((name) => valueOf(name, 's', parameters)).join(', ')}]::TEXT[]`;

export interface Page {
  readonly limit: number;
  readonly after: number;
}

/** Event-level reports in order of arrival. */
export function selectReportRows(
  queries: Queries,
  filter: SourceFilter,
  bounds: Bounds,
  page: Page,
): Promise<readonly ReportRow[]> {
  const parameters = new Parameters();
  const [tables, alias] = needsLog(filter) ? [WITH_SOURCES, 's'] : ['reports r', 'r'];
  return queries.query<ReportRow>(
    `SELECT r.id, r.reporting_origin, r.received_time, r.body FROM ${tables}
     WHERE r.kind = 'event-level' AND r.id > ${parameters.add(page.after)} AND r.id <= ${parameters.add(bounds.reports)}
       AND ${conditions(filter, alias, parameters)}
     ORDER BY r.id LIMIT ${parameters.add(page.limit)}`,
    parameters.values,
  );
}

/** How many stored reports are of other kinds, by kind. */
export async function selectOtherKinds(queries: Queries): Promise<ReadonlyMap<string, number>> {
  const rows = await queries.query<{ kind: string; reports: number }>(
    `SELECT kind, count(*)::BIGINT AS reports FROM reports WHERE kind <> 'event-level' GROUP BY kind ORDER BY kind`,
    [],
  );
  return new Map(rows.map(({ kind, reports }) => [kind, reports]));
}

/**
 * How many seconds before it was due the earliest report arrived. No browser sends a report before it is due by its own clock. Scheduled
 * times are rounded down to seconds, so it can have been due up to a second later.
 */
export async function selectClockAhead(queries: Queries): Promise<number> {
  const [row] = await queries.query<{ ahead: number }>(
    `SELECT coalesce(ceil(extract(epoch FROM max(scheduled_time - received_time)) + 1), 0)::BIGINT AS ahead FROM reports
     WHERE kind = 'event-level'`,
  );
  return row?.ahead ?? 0;
}
