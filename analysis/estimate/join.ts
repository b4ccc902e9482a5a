import type { SourceType } from '../../src/model/limits';
import { after, type Duration, type Moment } from '../../src/model/units';
import type { CollectedReport } from '../../formats/reports/report-line';
import { AMBIGUOUS, JoinedGroups, type SourceGroup } from './joined-groups';
import { ReportUse, type UseCounts, type UsedReport } from './report-use';
import { sortedSites } from './sorted-sites';
import { SourceOutputs } from './source-outputs';
import { SourceTally } from './source-tally';
import type { ConfigurationTally } from './tally';

/** Identifies a source as far as a report can. */
export interface SourceIdentity {
  readonly reportingOrigin: string;
  /** Sites, or URLs on them, in any order. */
  readonly destinations: readonly string[];
  readonly sourceType: SourceType;
  readonly sourceEventId: bigint;
}

/** A row of the source log. */
export interface LoggedSource extends SourceIdentity, SourceGroup {
  readonly time: Moment;
}

/** The part of a report that the join needs. */
export type JoinedReport = SourceIdentity & UsedReport & Pick<CollectedReport, 'reportId'>;

/** How the lines of both logs were used. Every line counts in exactly one field of the first group of each list. */
export interface JoinCounts {
  readonly sources: {
    readonly read: number;
    readonly used: number;
    /** The same source, logged again. */
    readonly repeated: number;
    /** Sources that reports cannot tell apart, at different times: none of them is used. */
    readonly ambiguous: number;
    /** Their configuration was never given. */
    readonly unknownConfiguration: number;
    /** Their last report window ends after `completeUntil`. */
    readonly open: number;
    /** They should have sent a value, but did not. */
    readonly missing: number;
    /** Their reports form an output that their mechanism does not have. */
    readonly impossible: number;
    /** Used, although the report of a lower summary bucket is missing. */
    readonly incomplete: number;
  };
  readonly reports: UseCounts & {
    readonly read: number;
    /** Another report had the same `report_id`. */
    readonly duplicate: number;
    /** Their source is not in the log. */
    readonly unknownSource: number;
    /** Their source is not used. */
    readonly unusedSource: number;
  };
}

/** The clocks of log and browsers, and the reports that are still expected. */
export interface JoinOptions {
  /** The largest difference between the clocks of the log and the browsers. */
  readonly skew: Duration;
  /** Reports due by then have arrived; null: all have. */
  readonly completeUntil: Moment | null;
}

/** What the estimates need. */
export interface JoinResult {
  readonly configurations: readonly ConfigurationTally[];
  readonly counts: JoinCounts;
  readonly completeUntil: Moment | null;
}

/**
 * Joins the source log and the reports line by line: first all sources, then all reports. Keeps in memory a number and a time per source,
 * the cells of sources with reports, and the id of each report.
 */
export class Join {
  private readonly groups = new JoinedGroups();
  private readonly sourceNumbers = new Map<string, number>();
  private readonly groupOf: number[] = [];
  private readonly timeOf: Moment[] = [];
  private readonly outputs = new Map<number, SourceOutputs>();
  private readonly reportIds = new Set<string>();
  private readonly parties = new Map<string, number>();
  private readonly sitesOf = sortedSites();
  private readonly sources = { read: 0, repeated: 0 };
  /** Rows beyond the first with an identity that is ambiguous. */
  private reused = 0;
  private readonly reports = { read: 0, duplicate: 0, unknownSource: 0, unusedSource: 0 };
  private readonly use = new ReportUse();

  constructor(private readonly options: JoinOptions) {}

  /** @throws ParameterError when the parameters of its mechanism are invalid. */
  addSource(source: LoggedSource): void {
    this.sources.read += 1;
    const key = this.keyOf(source);
    const known = this.sourceNumbers.get(key);
    if (known === undefined) {
      this.sourceNumbers.set(key, this.groupOf.length);
      this.groupOf.push(this.groupNumber(source));
      this.timeOf.push(source.time);
    } else if (this.timeOf[known] === source.time) this.sources.repeated += 1;
    else {
      this.groupOf[known] = AMBIGUOUS;
      this.reused += 1;
    }
  }

  private groupNumber(source: LoggedSource): number {
    const { completeUntil } = this.options;
    return this.groups.numberOf(
      source,
      (lastEnd) => completeUntil !== null && after(source.time, lastEnd) > completeUntil,
    );
  }

  /** Counts the report for its source. */
  addReport(report: JoinedReport): void {
    this.reports.read += 1;
    if (this.reportIds.has(report.reportId)) {
      this.reports.duplicate += 1;
      return;
    }
    this.reportIds.add(report.reportId);
    const source = this.sourceNumbers.get(this.keyOf(report));
    const group = source === undefined ? undefined : this.groupOf[source];
    const time = source === undefined ? undefined : this.timeOf[source];
    if (source === undefined || group === undefined || time === undefined) {
      this.reports.unknownSource += 1;
      return;
    }
    const rules = this.groups.rulesOf(group);
    if (rules === undefined) this.reports.unusedSource += 1;
    else this.use.report(this.outputsOf(source), rules, report, time, this.options.skew);
  }

  private outputsOf(source: number): SourceOutputs {
    let outputs = this.outputs.get(source);
    if (outputs === undefined) this.outputs.set(source, (outputs = new SourceOutputs()));
    return outputs;
  }

  /** The result, once all lines were added. */
  result(): JoinResult {
    const tally = new SourceTally();
    const none = new SourceOutputs();
    this.groupOf.forEach((number, source) => {
      const rules = this.groups.rulesOf(number);
      const outputs = this.outputs.get(source) ?? none;
      if (rules === undefined) tally.addUnused(number, 1);
      else tally.add(number, rules, outputs.output(rules), 1, outputs.hasGap() ? 1 : 0);
    });
    tally.counts.ambiguous += this.reused;
    const { read, ...unused } = this.reports;
    const { used, late, otherRate, inconsistent } = this.use;
    return {
      completeUntil: this.options.completeUntil,
      configurations: this.groups.tallies(tally.outputs),
      counts: {
        sources: { ...this.sources, ...tally.counts },
        reports: { read, used, ...unused, late, otherRate, inconsistent: { ...inconsistent } },
      },
    };
  }

  /** A short key; the few origins and sites are numbered. */
  private keyOf({ reportingOrigin, destinations, sourceType, sourceEventId }: SourceIdentity): string {
    const parties = [reportingOrigin, sourceType, ...this.sitesOf(destinations)].join(' ');
    let number = this.parties.get(parties);
    if (number === undefined) this.parties.set(parties, (number = this.parties.size));
    return `${number} ${sourceEventId.toString(36)}`;
  }
}
