import type { Queries } from './database';
import { DELAYS, startOf } from './cells';
import { ChosenCells } from './chosen-cells';
import { Parameters, type SourceFilter } from './source-filter';

/** Reports and sources of one group; null: the source is not in the log. */
interface GroupCount {
  readonly group: string | null;
  readonly reports: number;
  readonly sources: number;
}

type TimeUnit = 'hour' | 'day' | 'month';

/** How many reports of a group arrived in the hour, day or month that begins then (UTC). */
interface TimeCount {
  readonly start: Date;
  /** As in `GroupCount`; `other` combines the small groups. */
  readonly group: string | null;
  readonly other: boolean;
  readonly reports: number;
}

/** Reports by the delay between due time and arrival. */
interface DelayCount {
  /** In seconds; null: no bound. */
  readonly from: number | null;
  readonly to: number | null;
  readonly reports: number;
}

export interface Statistics {
  readonly reports: number;
  readonly sources: number;
  readonly unit: TimeUnit;
  readonly groups: readonly GroupCount[];
  /** How many groups are not listed. */
  readonly moreGroups: number;
  readonly overTime: readonly TimeCount[];
  readonly delays: readonly DelayCount[];
}

/** The most groups that a chart can distinguish, and that a table can list. */
const DRAWN_GROUPS = 8;
const LISTED_GROUPS = 200;

const DAY = 86_400;

/**
 * Counts the event-level reports that the sums cover. Reports of unlogged sources are all reports minus those of logged ones.
 * @param group a property or feature.
 */
export async function selectStatistics(
  queries: Queries,
  filter: SourceFilter,
  group: string,
): Promise<Statistics> {
  const chosen = new ChosenCells(filter, group);
  const arrivals = await selectArrivals(queries, chosen);
  const unit = unitOf(arrivals);
  const cells = await selectCells(queries, chosen, unit);
  const groups = await selectGroups(queries, chosen, cells, arrivals.reports);
  const drawn = groups.flatMap(({ group: name, reports }) => (name === null || reports === 0 ? [] : [name]));
  return {
    reports: groups.reduce((sum, { reports }) => sum + reports, 0),
    sources: groups.reduce((sum, { sources }) => sum + sources, 0),
    unit,
    groups: groups.slice(0, LISTED_GROUPS),
    moreGroups: Math.max(0, groups.length - LISTED_GROUPS),
    overTime: await selectOverTime(queries, chosen, unit, cells, drawn.slice(0, DRAWN_GROUPS)),
    delays: arrivals.delays,
  };
}

/** All chosen reports. */
interface Arrivals {
  readonly reports: number;
  readonly delays: readonly DelayCount[];
  /** When the first and the last arrived. */
  readonly first: Date | null;
  readonly last: Date | null;
}

async function selectArrivals(queries: Queries, chosen: ChosenCells): Promise<Arrivals> {
  const parameters = new Parameters();
  const rows = await queries.query<{ delay: number; reports: number; first: Date; last: Date }>(
    `SELECT delay, sum(reports)::BIGINT AS reports, min(first) AS first, max(last) AS last
     FROM ${chosen.allReports('day', parameters)} GROUP BY delay`,
    parameters.values,
  );
  const counts = new Map(rows.map(({ delay, reports }) => [delay, reports]));
  return {
    reports: sumOf(rows),
    delays: [...DELAYS, null].map((to, index) => ({
      from: DELAYS[index - 1] ?? null,
      to,
      reports: counts.get(index) ?? 0,
    })),
    first: rows.map(({ first }) => first).reduce<Date | null>((a, b) => (a !== null && a < b ? a : b), null),
    last: rows.map(({ last }) => last).reduce<Date | null>((a, b) => (a !== null && a > b ? a : b), null),
  };
}

const sumOf = (counts: readonly { readonly reports: number }[]): number =>
  counts.reduce((sum, { reports }) => sum + reports, 0);

/** Chooses the unit that gives a readable number of bars. */
function unitOf({ first, last }: Arrivals): TimeUnit {
  const seconds = first === null || last === null ? 0 : (last.getTime() - first.getTime()) / 1000;
  if (seconds <= 3 * DAY) return 'hour';
  return seconds <= 200 * DAY ? 'day' : 'month';
}

/** How many reports of a group arrived in the unit of time that begins then. */
interface Cell {
  readonly start: Date;
  readonly name: string;
  readonly reports: number;
}

/** Hours and days are kept by their start. */
const startOfUnit = (unit: TimeUnit): string =>
  unit === 'month' ? startOf(`'month'`, 'received') : 'received';

const keptAs = (unit: TimeUnit): 'hour' | 'day' => (unit === 'hour' ? 'hour' : 'day');

/** The cells of known groups, and `unnamed` for rows whose group is unknown. */
interface Cells {
  readonly named: readonly Cell[];
  readonly unnamed: readonly TimeCount[];
}

async function selectCells(queries: Queries, chosen: ChosenCells, unit: TimeUnit): Promise<Cells> {
  const parameters = new Parameters();
  const cells = await queries.query<Omit<Cell, 'name'> & { readonly name: string | null }>(
    `SELECT ${startOfUnit(unit)} AS start, name, sum(reports)::BIGINT AS reports
     FROM ${chosen.reports(keptAs(unit), parameters)} GROUP BY 1, 2 ORDER BY 1, 2`,
    parameters.values,
  );
  return {
    named: cells.flatMap((cell) => (cell.name === null ? [] : [{ ...cell, name: cell.name }])),
    unnamed: cells.flatMap(({ start, name, reports }) =>
      name === null ? [{ start, group: null, other: false, reports }] : [],
    ),
  };
}

/**
 * Largest first; the group of unlogged sources comes last.
 * @param all how many reports there are, of logged and unlogged sources.
 */
async function selectGroups(
  queries: Queries,
  chosen: ChosenCells,
  { named, unnamed }: Cells,
  all: number,
): Promise<readonly GroupCount[]> {
  const parameters = new Parameters();
  const sources = await queries.query<{ name: string; sources: number }>(
    `SELECT name, sum(sources)::BIGINT AS sources FROM ${chosen.sources(parameters)} GROUP BY name`,
    parameters.values,
  );
  const counts = new Map(sources.map(({ name, sources: count }) => [name, { sources: count, reports: 0 }]));
  for (const { name, reports } of named) {
    const count = counts.get(name) ?? { sources: 0, reports: 0 };
    counts.set(name, { ...count, reports: count.reports + reports });
  }
  const groups = [...counts].map(([group, count]): GroupCount => ({ group, ...count }));
  groups.sort(
    (a, b) => b.reports - a.reports || b.sources - a.sources || (String(a.group) < String(b.group) ? -1 : 1),
  );
  const unlogged = chosen.hasUnlogged ? all - sumOf(named) : sumOf(unnamed);
  return unlogged > 0 ? [...groups, { group: null, reports: unlogged, sources: 0 }] : groups;
}

async function selectOverTime(
  queries: Queries,
  chosen: ChosenCells,
  unit: TimeUnit,
  { named, unnamed }: Cells,
  drawn: readonly string[],
): Promise<readonly TimeCount[]> {
  const counts = withOthers(named, new Set(drawn));
  return chosen.hasUnlogged
    ? [...counts, ...(await unloggedOverTime(queries, chosen, unit, counts))]
    : [...counts, ...unnamed];
}

/** Combines the groups that are not drawn, after the drawn groups of the same time. */
function withOthers(cells: readonly Cell[], drawn: ReadonlySet<string>): readonly TimeCount[] {
  const times = new Map<number, { readonly start: Date; readonly drawn: TimeCount[]; others: number }>();
  for (const { start, name, reports } of cells) {
    const time = times.get(start.getTime()) ?? { start, drawn: [], others: 0 };
    times.set(start.getTime(), time);
    if (drawn.has(name)) time.drawn.push({ start, group: name, other: false, reports });
    else time.others += reports;
  }
  return [...times.values()].flatMap(({ start, drawn: some, others }) =>
    others === 0 ? some : [...some, { start, group: null, other: true, reports: others }],
  );
}

async function unloggedOverTime(
  queries: Queries,
  chosen: ChosenCells,
  unit: TimeUnit,
  counts: readonly TimeCount[],
): Promise<readonly TimeCount[]> {
  const logged = new Map<number, number>();
  for (const { start: time, reports } of counts)
    logged.set(time.getTime(), (logged.get(time.getTime()) ?? 0) + reports);
  const parameters = new Parameters();
  const all = await queries.query<{ start: Date; reports: number }>(
    `SELECT ${startOfUnit(unit)} AS start, sum(reports)::BIGINT AS reports
     FROM ${chosen.allReports(keptAs(unit), parameters)} GROUP BY 1 ORDER BY 1`,
    parameters.values,
  );
  return all.flatMap(({ start: time, reports }): TimeCount[] => {
    const unlogged = reports - (logged.get(time.getTime()) ?? 0);
    return unlogged > 0 ? [{ start: time, group: null, other: false, reports: unlogged }] : [];
  });
}
