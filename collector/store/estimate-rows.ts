import type { TrueCount } from './true-counts';
import { groupsOf } from './chosen-outcomes';
import type { Queries } from './database';
import { conditions, Parameters, type SourceFilter } from './source-filter';
import type { OpenAfter } from './source-status';

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
  const bounds = openAfter.flatMap(({ configurations, time }) =>
    configurations.map((id) => ({ id, time: time.toISOString() })),
  );
  const ids = parameters.add(bounds.map(({ id }) => id));
  const times = parameters.add(bounds.map(({ time }) => time));
  const events = parameters.add(truth.map(({ sourceEventId }) => sourceEventId));
  const origins = parameters.add(truth.map(({ reportingOrigin }) => reportingOrigin));
  const reports = parameters.add(truth.map((found) => String(found.reports)));
  return queries.query<TrueTotal>(
    `SELECT s.configuration, ${groupsOf(groupBy, 's', parameters)} AS grouped, sum(happened.reports)::BIGINT AS conversions,
       count(*)::BIGINT AS converted
     FROM sources s JOIN unnest(${ids}::TEXT[], ${times}::TIMESTAMPTZ[]) AS bound (id, time) ON bound.id = s.configuration
     JOIN unnest(${events}::NUMERIC[], ${origins}::TEXT[], ${reports}::BIGINT[]) AS happened (event, origin, reports)
       ON happened.event = s.source_event_id AND happened.origin = s.reporting_origin
     WHERE s.source_time <= bound.time AND ${conditions(filter, 's', parameters)}
     GROUP BY 1, 2 ORDER BY 1, 2`,
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
