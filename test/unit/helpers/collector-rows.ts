import { Join, type JoinOptions, type JoinResult } from '../../../analysis/estimate/join/join';
import type { Queries } from '../../../collector/store/database';
import type { ReceivedReport } from '../../../collector/store/reports';
import type { SourceFilter } from '../../../collector/store/source-filter';
import type { LoggedSource } from '../../../collector/store/sources';
import type { Statistics } from '../../../collector/store/statistics';
import type { Questions } from '../../../collector/store/questions';
import { moment } from '../../../src/model/units';
import { DAY, HOUR, type Sent } from './collector-workload';

/** What was stored, as the rows say. */
export class Rows {
  readonly sources = new Map<number, LoggedSource>();
  readonly reports = new Map<string, Sent>();

  addSource(source: LoggedSource): void {
    const number = Number(source.sourceEventId);
    if (!this.sources.has(number)) this.sources.set(number, source);
  }

  addReport(sent: Sent): void {
    const key = `${sent.report.kind} ${sent.report.reportId}`;
    if (!this.reports.has(key)) this.reports.set(key, sent);
  }

  get debugReports(): number {
    return [...this.reports.values()].filter(({ report }) => report.kind === 'event-level-debug').length;
  }

  /** Reports by group, by time and group, and by delay; and sources by group. Of reports whose source is not in the log the group is null. */
  count(filter: SourceFilter, group: string): unknown {
    const needsLog = choosesByLog(filter);
    const joins = needsLog || isOfLog(group);
    const isChosen = chosenBy(filter);
    const sources = [...this.sources.values()].map(ofSource).filter(isChosen);
    const reports = [...this.reports.values()]
      .filter(({ report }) => report.kind === 'event-level')
      .flatMap(({ source, report }) => {
        const logged = this.sources.get(source);
        if (joins && logged !== undefined)
          return isChosen(ofSource(logged)) ? [{ report, group: valueOf(ofSource(logged), group) }] : [];
        const own = ofReport(report);
        if (needsLog || !isChosen(own)) return [];
        return [{ report, group: joins ? null : valueOf(own, group) }];
      });
    const times = reports.map(({ report }) => report.receivedTime.getTime());
    const unit = unitOf(Math.max(...times) - Math.min(...times));
    return {
      unit,
      reports: tally(reports.map((row) => row.group)),
      sources: tally(sources.map((row) => valueOf(row, group))),
      times: tally(reports.map((row) => `${startOf(row.report.receivedTime, unit)} ${String(row.group)}`)),
      late: reports.filter(({ report }) => lateBy(report) >= HOUR).length,
    };
  }

  /** What `cointoss estimate` counts of the chosen rows, by campaign. */
  join(
    filter: SourceFilter,
    configurations: Configurations,
    options: JoinOptions,
    ungrouped = false,
  ): JoinResult {
    const isChosen = chosenBy(filter);
    const join = new Join(options);
    for (const source of this.sources.values())
      if (isChosen(ofSource(source)))
        join.addSource({
          ...source,
          time: moment(source.time.getTime()),
          configuration: configurations.get(source.configuration) ?? null,
          group: ungrouped ? [] : [ofSource(source).campaign],
        });
    for (const { source, report } of this.reports.values()) {
      const { kind, eventLevel, reportingOrigin, receivedTime } = report;
      const logged = this.sources.get(source);
      const chooses = choosesByLog(filter) ? logged && ofSource(logged) : ofReport(report);
      if (kind !== 'event-level' || eventLevel === null || chooses === undefined || !isChosen(chooses))
        continue;
      join.addReport({ ...eventLevel, reportingOrigin, receivedTime: moment(receivedTime.getTime()) });
    }
    return join.result();
  }
}

type Configurations = Awaited<ReturnType<Questions['configurationsOfEstimates']>>;

const isOfLog = (name: string): boolean => name === 'campaign';

/** Whether only the source log can tell which reports are chosen. */
export const choosesByLog = ({ from, to, is }: SourceFilter): boolean =>
  from !== null || to !== null || [...is.keys()].some(isOfLog);

const chosenBy =
  ({ from, to, is }: SourceFilter) =>
  (row: Described): boolean =>
    (from === null || (row.time ?? -1) >= from.getTime()) &&
    (to === null || (row.time ?? Infinity) < to.getTime()) &&
    [...is].every(([name, values]) =>
      name === 'destination'
        ? row.destinations.some((site) => values.includes(site))
        : values.includes(valueOf(row, name)),
    );

/** How many characters of a time tell its hour, day or month. */
const DIGITS = { hour: 13, day: 10, month: 7 };

const startOf = (time: Date, unit: keyof typeof DIGITS): string =>
  time.toISOString().slice(0, DIGITS[unit]) + '2000-01-01T00:00:00.000Z'.slice(DIGITS[unit]);

const unitOf = (span: number): keyof typeof DIGITS =>
  span <= 3 * DAY ? 'hour' : span <= 200 * DAY ? 'day' : 'month';

interface Described {
  readonly destinations: readonly string[];
  readonly sourceType: string;
  readonly reportingOrigin: string;
  readonly campaign: string;
  readonly time: number | null;
}

const ofSource = ({ features, time, ...source }: LoggedSource): Described => ({
  ...source,
  campaign: String(features['campaign'] ?? ''),
  time: time.getTime(),
});

const ofReport = ({ eventLevel, reportingOrigin }: ReceivedReport): Described => ({
  destinations: eventLevel?.destinations ?? [],
  sourceType: eventLevel?.sourceType ?? '',
  reportingOrigin,
  campaign: '',
  time: null,
});

function valueOf(row: Described, name: string): string {
  if (name === 'destination') return row.destinations.join(' ');
  if (name === 'source_type') return row.sourceType;
  return name === 'campaign' ? row.campaign : row.reportingOrigin;
}

const lateBy = ({ receivedTime, eventLevel }: ReceivedReport): number =>
  receivedTime.getTime() - Number(eventLevel?.scheduledTime);

/** How often each occurs, without order. */
function tally(names: readonly (string | null)[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(String(name), (counts.get(String(name)) ?? 0) + 1);
  return counts;
}

const sums = (pairs: readonly (readonly [name: string, count: number])[]): ReadonlyMap<string, number> =>
  tally(pairs.flatMap(([name, count]) => Array.from({ length: count }, () => name)));

/** What `Rows.count` says, of an answer. There are fewer groups than a chart draws. */
export function counted({ unit, groups, overTime, delays }: Statistics): unknown {
  return {
    unit,
    reports: sums(groups.map(({ group, reports }) => [String(group), reports])),
    sources: sums(groups.map(({ group, sources }) => [String(group), sources])),
    times: sums(
      overTime.map(({ start, group, reports }) => [`${start.toISOString()} ${String(group)}`, reports]),
    ),
    late: delays.filter(({ from }) => (from ?? 0) >= 3600).reduce((sum, { reports }) => sum + reports, 0),
  };
}

/** How many rows of a table the statements of the connection's transaction, and of some before it, have read. */
export const rowsRead = (queries: Queries, table: string): Promise<number> =>
  rowsCounted(queries, table, 'seq_tup_read + idx_tup_fetch');

/** As `rowsRead`, of those that were deleted. */
export const rowsDeleted = (queries: Queries, table: string): Promise<number> =>
  rowsCounted(queries, table, 'n_tup_del');

async function rowsCounted(queries: Queries, table: string, counter: string): Promise<number> {
  const [{ rows } = { rows: 0 }] = await queries.query<{ rows: number }>(
    `SELECT coalesce(sum(${counter}), 0)::BIGINT AS rows
     FROM pg_stat_xact_user_tables WHERE relname = '${table}'`,
  );
  return rows;
}
