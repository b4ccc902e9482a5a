import type { Json } from '../../../src/model/json';
import { parse, type Parsed } from '../../../formats/codec/issues';
import { reportKinds } from '../../../formats/reports/report-kind';
import { collectedReport, kindOfLine, type CollectedReport } from '../../../formats/reports/report-line';
import { collectedLine } from '../join/collected-line';
import { Join, type JoinOptions, type JoinResult } from '../join/join';
import type { LoggedSource } from '../join/logged-source';
import { countsJson } from './counts-json';
import { SourceRows, type CommonParts } from '../join/source-rows';
import type { Statistics } from './statistics';

const isReportKind = (kind: string): boolean => reportKinds.some((known) => known === kind);

/** Reads the rows of reports, and counts those of other kinds. */
export class ReportRows {
  /** Under one name those that nobody knows: a log can have any number of them. */
  readonly otherKinds = new Map<string, number>();

  /** @returns null for a row that is not an event-level report, which is only counted */
  parse(row: Json): Parsed<CollectedReport> | null {
    const report = collectedLine(row);
    const kind = kindOfLine(report);
    if (typeof kind === 'string' && kind !== 'event-level') {
      const name = isReportKind(kind) ? kind : 'other';
      this.otherKinds.set(name, (this.otherKinds.get(name) ?? 0) + 1);
      return null;
    }
    return parse(report, collectedReport);
  }
}

/** Joins a source log and reports, both as rows of JSON: first all sources, then all reports. */
export class LogJoin {
  private readonly rows: SourceRows;
  private readonly join: Join;
  private readonly reports = new ReportRows();

  /** @param common as for `SourceRows` */
  constructor(
    private readonly groupBy: readonly string[],
    private readonly options: JoinOptions,
    common?: CommonParts,
  ) {
    this.rows = new SourceRows(groupBy, common);
    this.join = new Join(options);
  }

  /** @throws ParameterError when the row's mechanism cannot be used with its ε */
  addSource(row: Json): Parsed<LoggedSource> {
    const parsed = this.rows.parse(row);
    if (parsed.value !== null) this.join.addSource(parsed.value);
    return parsed;
  }

  /** @returns null for a row that is not an event-level report, which is only counted */
  addReport(row: Json): Parsed<CollectedReport> | null {
    const parsed = this.reports.parse(row);
    if (parsed !== null && parsed.value !== null) this.join.addReport(parsed.value);
    return parsed;
  }

  /** How much work the estimates of the groups will be that the sources make so far, as `cellsOf` counts it. */
  get cells(): number {
    return this.join.cells;
  }

  /** How many groups the sources make so far. */
  get groupCount(): number {
    return this.join.groupCount;
  }

  /** A column to group by that none of the sources had. */
  missing(): string | undefined {
    return this.rows.missing();
  }

  digitsLostIn(): ReturnType<Join['digitsLostIn']> {
    return this.join.digitsLostIn();
  }

  /** What `estimatesOf` needs. @param asOf `completeUntil` of the options in ISO 8601 */
  statistics(asOf: string | null): Statistics {
    const { groupBy, options, reports } = this;
    return statisticsOf(this.join.result(), reports.otherKinds, { groupBy, asOf, joining: options });
  }
}

/** What a log is joined for. */
export interface JoinSetup {
  readonly groupBy: readonly string[];
  readonly joining: JoinOptions;
  /** `completeUntil` of `joining`, in ISO 8601. */
  readonly asOf: string | null;
}

export const statisticsOf = (
  { configurations, counts }: JoinResult,
  otherKinds: ReadonlyMap<string, number>,
  { groupBy, asOf, joining }: JoinSetup,
): Statistics => ({
  ...countsJson(counts, otherKinds),
  groupBy,
  asOf,
  skew: joining.skew / 1000,
  configurations,
});
