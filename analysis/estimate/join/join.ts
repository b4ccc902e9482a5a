import type { SourceType } from '../../../src/model/limits';
import { after, moment, type Duration, type Moment } from '../../../src/model/units';
import type { CollectedReport } from '../../../formats/reports/report-line';
import { AMBIGUOUS, JoinedGroups, type SourceGroup } from './joined-groups';
import { LargeMap } from './large-map';
import { SeenDelays } from '../unbiased/report-delays';
import { LostDigits } from './lost-digits';
import { ReportUse, type UseCounts, type UsedReport } from './report-use';
import { sortedSites } from './sorted-sites';
import { SourceOutputs, tolerance, type SourceRules } from './source-outputs';
import { SourceTally } from './source-tally';
import type { ConfigurationTally } from '../unbiased/tally';

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
    /** Used, although others have the same id: the times of reports tell whose they are. */
    readonly reused: number;
    /** Not used, because their reports are noise alone, but these show how many are lost. */
    readonly heartbeats: number;
    /** Their configuration was never given. */
    readonly unknownConfiguration: number;
    /** Their last report window ends after `completeUntil`. */
    readonly open: number;
    /** They should have sent a value, but did not. */
    readonly missing: number;
    /** Their reports form an output that their mechanism does not have. */
    readonly impossible: number;
    /** They have more reports than a browser sends for a source, so that their output is unknown. */
    readonly flooded: number;
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

/** Further sources with the same id are not told apart, so that many of them cost no more. */
const MOST_ALIKE = 16;

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
  private readonly sourceNumbers = new LargeMap<string, number>();
  private readonly groupOf: number[] = [];
  private readonly timeOf: Moment[] = [];
  private readonly outputs = new LargeMap<number, SourceOutputs>();
  private readonly reportIds = new LargeMap<string, true>();
  private readonly parties = new Map<string, number>();
  private readonly sitesOf = sortedSites();
  /** The numbers of parties, by how logs write them: logs repeat a few. */
  private readonly numbers = new Map<string, number>();
  /** For a source whose id was used before: the source before it. */
  private readonly earlier = new Map<number, number>();
  private readonly ambiguous = new Set<number>();
  private readonly sources = { read: 0, repeated: 0 };
  private readonly reports = { read: 0, duplicate: 0, unknownSource: 0, unusedSource: 0 };
  private readonly digits = new LostDigits();
  private readonly use = new ReportUse();
  private readonly delays = new Map<SourceRules, SeenDelays>();
  /** The last arrival of any report of a logged source. All share it, so that sources whose reports came early do not seem to have been taken early. */
  private lastArrival = moment(0);

  constructor(private readonly options: JoinOptions) {}

  /** @throws ParameterError when the parameters of its mechanism are invalid. */
  addSource(source: LoggedSource): void {
    this.sources.read += 1;
    const key = this.keyOf(source);
    const same = this.withKey(key);
    if (same.some((known) => this.timeOf[known] === source.time)) {
      this.sources.repeated += 1;
      return;
    }
    const number = this.groupOf.push(this.groupNumber(source)) - 1;
    this.timeOf.push(source.time);
    const isTooMany = same.length >= MOST_ALIKE;
    const confused = isTooMany ? same : same.filter((other) => this.mayBeConfused(number, other));
    if (confused.length > 0) for (const one of [number, ...confused]) this.ambiguous.add(one);
    if (isTooMany) return;
    if (same[0] !== undefined) this.earlier.set(number, same[0]);
    this.sourceNumbers.set(key, number);
  }

  /** The sources with a key, the last one first. */
  private withKey(key: string): readonly number[] {
    const same: number[] = [];
    for (let next = this.sourceNumbers.get(key); next !== undefined; next = this.earlier.get(next))
      same.push(next);
    return same;
  }

  /** Whether a report of one source could be due when one of the other is. Walks through the ends of both, which are in order. */
  private mayBeConfused(one: number, other: number): boolean {
    const [ends, otherEnds] = [this.endsOf(one), this.endsOf(other)];
    if (ends === null || otherEnds === null) return true;
    const shift = (this.timeOf[one] ?? NaN) - (this.timeOf[other] ?? NaN);
    for (let [at, otherAt] = [0, 0]; at < ends.length && otherAt < otherEnds.length;) {
      const later = (ends[at] ?? NaN) + shift - (otherEnds[otherAt] ?? NaN);
      if (Math.abs(later) <= 2 * tolerance(this.options.skew)) return true;
      if (later < 0) at += 1;
      else otherAt += 1;
    }
    return false;
  }

  /** How long after a source its reports can be due; null if that is not known. */
  private endsOf(source: number): readonly Duration[] | null {
    const rules = this.rulesOf(source);
    return rules === undefined || rules.estimator.valued ? null : rules.ends;
  }

  /** Undefined for a source that is not used. */
  private rulesOf(source: number): SourceRules | undefined {
    return this.groups.rulesOf(this.groupOf[source] ?? AMBIGUOUS);
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
    this.reportIds.set(report.reportId, true);
    const source = this.sourceOf(report);
    const time = source === undefined ? undefined : this.timeOf[source];
    if (source === undefined || time === undefined) {
      this.reports.unknownSource += 1;
      this.digits.seeUnknown(
        report.sourceEventId,
        (sourceEventId) => this.keyOf({ ...report, sourceEventId }),
        (key) => this.sourceNumbers.has(key),
      );
      return;
    }
    // Anybody can send the others again, or with made-up ids, long after the log was taken.
    if (report.receivedTime !== null && report.receivedTime > this.lastArrival)
      this.lastArrival = report.receivedTime;
    const rules = this.ambiguous.has(source) ? undefined : this.rulesOf(source);
    if (rules === undefined) this.reports.unusedSource += 1;
    else if (this.use.report(this.outputsOf(source), rules, report, time, this.options.skew))
      this.addDelay(rules, report);
  }

  /** A source without its value counts as missing, so values say nothing of delays. Nothing is under way of what is complete. */
  private addDelay(rules: SourceRules, { scheduledTime, receivedTime }: JoinedReport): void {
    if (receivedTime !== null && !rules.estimator.valued && this.options.completeUntil === null)
      this.delaysOf(rules).add(scheduledTime, receivedTime);
  }

  /** The source with the id of a report that has a report due at its time; the last one with the id if none has. */
  private sourceOf(report: JoinedReport): number | undefined {
    const last = this.sourceNumbers.get(this.keyOf(report));
    if (last === undefined || !this.earlier.has(last)) return last;
    const same = this.withKey(this.keyOf(report));
    return (
      same.find((source) =>
        this.endsOf(source)?.some(
          (end) =>
            Math.abs(after(this.timeOf[source] ?? report.scheduledTime, end) - report.scheduledTime) <=
            tolerance(this.options.skew),
        ),
      ) ?? last
    );
  }

  private delaysOf(rules: SourceRules): SeenDelays {
    let delays = this.delays.get(rules);
    if (delays === undefined) this.delays.set(rules, (delays = new SeenDelays()));
    return delays;
  }

  private outputsOf(source: number): SourceOutputs {
    let outputs = this.outputs.get(source);
    if (outputs === undefined) this.outputs.set(source, (outputs = new SourceOutputs()));
    return outputs;
  }

  /** The log whose ids went through a floating-point number, if that is why most reports have no source. */
  digitsLostIn(): ReturnType<LostDigits['of']> {
    const { read, duplicate } = this.reports;
    return this.digits.of(read - duplicate, () => this.loggedIds());
  }

  private *loggedIds(): Generator<readonly [id: bigint, keyOf: (id: bigint) => string]> {
    for (const key of this.sourceNumbers.keys()) {
      const [party = '', id = ''] = key.split(' ');
      yield [idOf(id), (other) => keyWith(party, other)];
    }
  }

  /** The result, once all lines were added. */
  result(): JoinResult {
    const tally = new SourceTally();
    const none = new SourceOutputs();
    this.groupOf.forEach((group, source) => {
      const number = this.ambiguous.has(source) ? AMBIGUOUS : group;
      const rules = this.groups.rulesOf(number);
      const outputs = this.outputs.get(source) ?? none;
      if (rules === undefined) tally.addUnused(number, 1);
      else tally.add(number, rules, outputs.output(rules), 1, outputs.hasGap() ? 1 : 0);
    });
    const { read, ...unused } = this.reports;
    const { used, late, otherRate, inconsistent } = this.use;
    return {
      completeUntil: this.options.completeUntil,
      configurations: this.groups.tallies(tally.outputs, (rules) =>
        this.delays.get(rules)?.until(this.lastArrival),
      ),
      counts: {
        sources: { ...this.sources, ...tally.counts, reused: this.reused() },
        reports: { read, used, ...unused, late, otherRate, inconsistent: { ...inconsistent } },
      },
    };
  }

  private reused(): number {
    const alike = new Set([...this.earlier].flat());
    return [...alike].filter((source) => !this.ambiguous.has(source)).length;
  }

  /** A short key; the few origins and sites are numbered. */
  private keyOf({ reportingOrigin, destinations, sourceType, sourceEventId }: SourceIdentity): string {
    const given = `${reportingOrigin} ${sourceType} ${destinations.join(' ')}`;
    let number = this.numbers.get(given);
    if (number === undefined) {
      const parties = [reportingOrigin, sourceType, ...this.sitesOf(destinations)].join(' ');
      number = this.parties.get(parties) ?? this.parties.size;
      this.parties.set(parties, number);
      this.numbers.set(given, number);
    }
    return keyWith(String(number), sourceEventId);
  }
}

const BASE = 36;
/** So many digits have less than 53 bits. */
const PART = 10;

const keyWith = (party: string, id: bigint): string => `${party} ${id.toString(BASE)}`;

/** The id in a key. `BigInt` reads no such digits. */
const idOf = (digits: string): bigint =>
  BigInt(parseInt(digits.slice(0, -PART) || '0', BASE)) * BigInt(BASE) ** BigInt(PART) +
  BigInt(parseInt(digits.slice(-PART), BASE));
