import { loggedCells, sourceCells, startOf } from './cells';
import { instant, pieces, type Range } from './pieces';
import {
  hasValues,
  isOfLog,
  needsLog,
  rangeOf,
  valueOf,
  type Parameters,
  type SourceFilter,
} from './source-filter';

/** Cells that meet a condition on `registered`, or on a source. */
type Selection = (where: string) => string;

/**
 * The cells of the chosen sources and of their reports, as items of FROM with the `name` of each one's group: kept sums of whole days and hours of
 * registration, and the rows of the hours in which the filter begins or ends.
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
    const { from, to } = this.filter;
    // Kinds have the number of all their sources.
    if (from === null && to === null) return `(${this.chosenKinds(true, parameters)}) AS cells`;
    const columns = 'name, outcome_sums.sources';
    const counted =
      (unit: 'hour' | 'day'): Selection =>
      (where) =>
        `SELECT ${columns} FROM chosen JOIN outcome_sums ON kind = id WHERE unit = '${unit}' AND ${where}`;
    return this.united(
      {
        day: counted('day'),
        hour: counted('hour'),
        rows: (where) =>
          `SELECT ${valueOf(this.by, 'c', parameters)} AS name, sources FROM (${sourceCells(where)}) AS c`,
      },
      true,
      parameters,
    );
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
    const columns = `${startOf(`'${unit}'`, 'received')} AS received, delay, reports, first, last`;
    return this.united(
      {
        day:
          unit === 'hour'
            ? null
            : (where) => `SELECT name, ${columns} FROM chosen JOIN report_sums ON kind = id WHERE ${where}`,
        hour: (where) => `SELECT name, ${columns} FROM chosen JOIN report_hours ON kind = id WHERE ${where}`,
        rows: (where) =>
          `SELECT ${valueOf(this.by, 'c', parameters)} AS name, ${columns}
           FROM (${loggedCells(where)}) AS c`,
      },
      logged,
      parameters,
    );
  }

  /** id, name, sources */
  private chosenKinds(logged: boolean, parameters: Parameters): string {
    return `SELECT id, ${this.nameOfKind(parameters)} AS name, sources FROM kinds
      WHERE configuration IS ${logged ? 'NOT NULL' : 'NULL'} AND ${hasValues(this.filter.is, 'kinds', parameters)}`;
  }

  /** Null for the rest of what strangers made up. */
  private nameOfKind(parameters: Parameters): string {
    const name = valueOf(this.by, 'kinds', parameters);
    return isOfLog(this.by) ? name : `nullif(${name}, '')`;
  }

  /** Takes whole days of registration where there are sums of these, then whole hours, then rows. */
  private united(
    from: Readonly<Record<'hour' | 'rows', Selection> & Record<'day', Selection | null>>,
    logged: boolean,
    parameters: Parameters,
  ): string {
    const bounds = (piece: Range, column: string): string =>
      `${column} >= ${parameters.add(instant(piece.from))}::TIMESTAMPTZ AND ${column} < ${parameters.add(instant(piece.to))}::TIMESTAMPTZ`;
    const parts = pieces(rangeOf(this.filter)).map((piece) => {
      if (piece.unit === 'day' && from.day !== null) return from.day(bounds(piece, 'registered'));
      if (piece.unit !== null) return from.hour(bounds(piece, 'registered'));
      return from.rows(`${bounds(piece, 's.source_time')} AND ${hasValues(this.filter.is, 's', parameters)}`);
    });
    // Materialized, so that values are read once for each kind and not once for each cell.
    return `(WITH chosen AS MATERIALIZED (${this.chosenKinds(logged, parameters)})
       ${(parts.length === 0 ? [from.hour('FALSE')] : parts).join(' UNION ALL ')}) AS cells`;
  }
}
