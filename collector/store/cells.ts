import { WITH_SOURCES } from './source-filter';

/*
 * The dashboard's counts: cells of sources and of reports, as queries over rows of both tables. Each cell has a kind: everything by which
 * its sources can be chosen and grouped. Reports have two kinds: that of their source, if it is in the log, and that of their own fields.
 */

const HOUR = 3600;
const DAY = 24 * HOUR;
/**
 * Bounds of delays in seconds. From one hour a report is late, as in the estimates. Kept sums contain the numbers of these ranges, so a
 * change takes a migration that empties the sums.
 */
export const DELAYS = [0, 60, 300, 900, HOUR, 6 * HOUR, DAY, 3 * DAY, 7 * DAY] as const;

export const KIND = ['destinations', 'source_type', 'reporting_origin', 'configuration', 'features'] as const;

/** What a kind consists of. */
export const columnsOf = (alias: string): string => KIND.map((column) => `${alias}.${column}`).join(', ');
const reportedKind =
  'r.destinations, r.source_type, r.reporting_origin, NULL::TEXT AS configuration, NULL::TEXT AS features';

/** Features may exceed the size of an index entry, so the index uses a hash. */
export const digestOf = (alias: string): string =>
  `sha256(convert_to(json_build_array(${columnsOf(alias)})::TEXT, 'UTF8'))`;

/** How many kinds there are of reports' own fields, beside those of the log. Reports of further kinds count as of one, `REST`. */
export const MOST_STRANGE_KINDS = 1000;

export const REST = `SELECT '{}'::TEXT[] AS destinations, '' AS source_type, '' AS reporting_origin, NULL::TEXT AS configuration, NULL::TEXT AS features`;

/** When the unit of time began (UTC). @param unit and `time`: in SQL */
export const startOf = (unit: string, time: string): string =>
  `date_trunc(${unit}, ${time} AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`;

/** The hour in which a source was registered. */
export const REGISTERED = startOf(`'hour'`, 's.source_time');

/** Sources by kind and hour of registration (UTC). */
export const sourceCells = (where: string): string =>
  `SELECT ${columnsOf('s')}, ${REGISTERED} AS registered, count(*)::BIGINT AS sources
   FROM sources s WHERE ${where} GROUP BY ${columnsOf('s')}, registered`;

/** Event-level reports of logged sources, by their source's kind and hour of registration. */
export const loggedCells = (where: string): string =>
  reportCells(columnsOf('s'), REGISTERED, WITH_SOURCES, where);

/** All event-level reports, by what they say themselves. */
export const reportedCells = (where: string): string =>
  reportCells(reportedKind, `'-infinity'::TIMESTAMPTZ`, 'reports r', where);

/** A report's hour of arrival, and the number of the range of its delay. */
export const ARRIVAL = `${startOf(`'hour'`, 'r.received_time')} AS received, r.received_time,
  width_bucket(extract(epoch FROM r.received_time - r.scheduled_time)::DOUBLE PRECISION,
    '{${DELAYS.join(',')}}'::DOUBLE PRECISION[]) AS delay`;

/** How many there are of a cell, and when they arrived. */
const ARRIVALS = 'count(*)::BIGINT AS reports, min(received_time) AS first, max(received_time) AS last';

const reportCells = (kind: string, registered: string, from: string, where: string): string =>
  `SELECT ${KIND.join(', ')}, registered, received, delay, ${ARRIVALS}
   FROM (SELECT ${kind}, ${registered} AS registered, ${ARRIVAL} FROM ${from} WHERE r.kind = 'event-level' AND ${where}) AS classed
   GROUP BY ${KIND.join(', ')}, registered, received, delay`;
