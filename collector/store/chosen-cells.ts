import { loggedCells, sourceCells } from './cells';
import {
  conditions,
  hasValues,
  isOfLog,
  needsLog,
  valueOf,
  type Parameters,
  type SourceFilter,
} from './source-filter';

const DAY_MILLISECONDS = 86_400_000;
/** PostgreSQL reads no longer years of what JavaScript writes. */
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The cells of the chosen sources and of their reports, as items of FROM with the `name` of each one's group: kept sums of whole days of
 * registration, and the rows of the days in which the filter begins or ends.
 */
export class ChosenCells {
  constructor(
    private readonly filter: SourceFilter,
    private readonly by: string,
  ) {}

  /** Whether reports of unlogged sources count although their group is not known; `reports` does not contain them. */
  get hasUnlogged(): boolean {
    return isOfLog(this.by) && !needsLog(this.filter);
  }

  /** name, sources */
  sources(parameters: Parameters): string {
    const parts = this.parts().map(
      (part) =>
        `SELECT ${valueOf(this.by, 'c', parameters)} AS name, sources
         FROM (${sourceCells(conditions(part, 's', parameters))}) AS c`,
    );
    return `(${[this.kept('source_sums', 'sources', 'TRUE', true, parameters), ...parts].join(' UNION ALL ')}) AS cells`;
  }

  /** name, received, delay, reports, first, last: of the reports whose group is known. */
  reports(unit: 'hour' | 'day', parameters: Parameters): string {
    return this.reportsOf(unit, needsLog(this.filter) || isOfLog(this.by), parameters);
  }

  /** As `reports`, of those of unlogged sources as well; the names do not count. */
  allReports(unit: 'hour' | 'day', parameters: Parameters): string {
    return this.reportsOf(unit, needsLog(this.filter), parameters);
  }

  private reportsOf(unit: 'hour' | 'day', logged: boolean, parameters: Parameters): string {
    const columns = 'received, delay, reports, first, last';
    const parts = this.parts().map(
      (part) =>
        `SELECT ${valueOf(this.by, 'c', parameters)} AS name, ${columns}
         FROM (${loggedCells(conditions(part, 's', parameters))}) AS c WHERE unit = '${unit}'`,
    );
    const kept = this.kept('report_sums', columns, `unit = '${unit}'`, logged, parameters);
    return `(${[kept, ...parts].join(' UNION ALL ')}) AS cells`;
  }

  private kept(
    table: string,
    columns: string,
    where: string,
    logged: boolean,
    parameters: Parameters,
  ): string {
    const { from, to, is } = this.filter;
    const days = [where];
    const time = (moment: Date): string =>
      `${parameters.add(moment.toISOString())}::TIMESTAMPTZ AT TIME ZONE 'UTC'`;
    if (from !== null) days.push(`registered > (${time(from)} - INTERVAL '1 microsecond')::DATE`);
    if (to !== null) days.push(`registered < (${time(to)})::DATE`);
    // Materialized, so that values are read once a kind, and not once a cell.
    return `(WITH chosen AS MATERIALIZED (
         SELECT id, ${valueOf(this.by, 'kinds', parameters)} AS name FROM kinds
         WHERE configuration IS ${logged ? 'NOT NULL' : 'NULL'} AND ${hasValues(is, 'kinds', parameters)})
       SELECT name, ${columns} FROM chosen JOIN ${table} ON kind = id WHERE ${days.join(' AND ')})`;
  }

  /** The parts of days at the ends of the filter. */
  private parts(): readonly SourceFilter[] {
    const { from, to, is } = this.filter;
    const dayOf = (time: Date): number => Math.floor(time.getTime() / DAY_MILLISECONDS) * DAY_MILLISECONDS;
    const isPart = (time: Date | null): time is Date => time !== null && dayOf(time) < time.getTime();
    if (from !== null && to !== null && dayOf(from) === dayOf(to)) return [{ from, to, is }];
    const parts: SourceFilter[] = [];
    const earliest = (a: number, b: Date | null): Date => new Date(Math.min(a, b?.getTime() ?? LAST));
    const latest = (a: number, b: Date | null): Date => new Date(Math.max(a, b?.getTime() ?? a));
    if (isPart(from)) parts.push({ from, to: earliest(dayOf(from) + DAY_MILLISECONDS, to), is });
    if (isPart(to)) parts.push({ from: latest(dayOf(to), from), to, is });
    return parts;
  }
}
