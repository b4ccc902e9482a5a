import { after, moment, type Duration, type Moment } from '../../../src/model/units';
import { Memory } from '../../../src/model/remembered';
import type { CollectedReport } from '../../../formats/reports/report-line';
import { LONGEST_COMMON } from '../../../formats/sources/common-fields';
import { bytes, doubles, integers } from './column';
import { AMBIGUOUS, JoinedGroups, type SourceGroup } from './joined-groups';
import { KeyTable } from './key-table';
import { LargeMap } from './large-map';
import { SeenDelays } from '../unbiased/report-delays';
import { LostDigits } from './lost-digits';
import { partyKey, type LoggedSource, type Party, type SourceIdentity } from './logged-source';
import type { NumberedSource, NumberedSources } from './numbered-sources';
import { ReportIds } from './report-ids';
import { ReportUse, type UseCounts, type UsedReport } from './report-use';
import { sortedSites } from './sorted-sites';
import { SourceOutputs, tolerance, type SourceRules } from './source-outputs';
import { SourceTally } from './source-tally';
import type { ConfigurationTally } from '../unbiased/tally';

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
    /** Another report had the same `report_id` and the same source event id. */
    readonly duplicate: number;
    /** Their source is not in the log. */
    readonly unknownSource: number;
    /** Their source is not used. */
    readonly unusedSource: number;
  };
}

/** Of an id with 64 bits, and a party. */
const IDENTITY_WORDS = 3;

/** Further sources with the same id are not told apart, so that many of them cost no more. */
const MOST_ALIKE = 16;

const NONE: readonly number[] = [];

/** The party of a report that no source has. */
const NO_PARTY = -1;

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
 * Joins the source log and the reports line by line: first all sources, then all reports. Keeps 40 to 48 bytes in memory for each source (its id, its time, and
 * the numbers of its group and of what its reports say), and 32 to 40 for the id of each report.
 */
export class Join {
  private readonly groups = new JoinedGroups();
  /** The identities of sources, each with its last source. */
  private readonly identities = new KeyTable(IDENTITY_WORDS);
  private readonly lastOf = integers();
  private count = 0;
  private readonly groupOf = integers();
  private readonly times = doubles();
  /** The place of what its reports say. */
  private readonly outputsOf = integers();
  private readonly misfitsOf = bytes();
  private readonly outputs = [new SourceOutputs()];
  private readonly placeOf = new LargeMap<string, number>();
  private readonly reportIds = new ReportIds();
  /** A key of `identities`: the id, least significant word first, and the party. */
  private readonly identityBytes = new ArrayBuffer(4 * IDENTITY_WORDS);
  private readonly identity = new Int32Array(this.identityBytes);
  private readonly idOfIdentity = new BigUint64Array(this.identityBytes, 0, 1);
  private readonly parties = new Map<string, number>();
  private readonly sitesOf = sortedSites();
  /** The numbers of parties, by how logs write them: logs repeat a few. */
  private readonly numbers = new Memory<number>({ longest: LONGEST_COMMON });
  /** For a source whose id was used before: the source before it, plus 1. */
  private readonly earlier = integers();
  /** 1 for a source that is ambiguous. */
  private readonly ambiguous = bytes();
  private readonly sources = { read: 0, repeated: 0 };
  private readonly reports = { read: 0, duplicate: 0, unknownSource: 0, unusedSource: 0 };
  private readonly digits = new LostDigits();
  private readonly use = new ReportUse();
  private readonly delays = new Map<SourceRules, SeenDelays>();
  /** The last arrival of any report of a logged source. All share it, so that sources whose reports came early do not seem to have been taken early. */
  lastArrival = moment(0);

  constructor(private readonly options: JoinOptions) {
    this.placeOf.set(new SourceOutputs().text(), 0);
  }

  /** @throws ParameterError when the parameters of its mechanism are invalid. */
  addSource(source: LoggedSource): void {
    const { sourceEventId, time } = source;
    this.add(this.numberOfParty(source), sourceEventId, time, () => this.groupNumber(source, time));
  }

  /**
   * For sources that were read before.
   * @returns adds one of them, as `addSource` does.
   */
  adding({ parties, groups }: NumberedSources): (source: NumberedSource) => void {
    const partyNumbers = parties.map((party) => this.numberOfParty(party));
    // Only of groups with sources that are no repetitions, as otherwise.
    const groupNumbers: number[] = [];
    const isNoneOpen = this.options.completeUntil === null;
    return ({ party, group, sourceEventId, time }) => {
      const of = groups[group];
      const number = partyNumbers[party];
      if (of === undefined || number === undefined) throw new Error('a source must have a known group');
      this.add(number, sourceEventId, time, () =>
        isNoneOpen ? (groupNumbers[group] ??= this.groupNumber(of, time)) : this.groupNumber(of, time),
      );
    };
  }

  private add(party: number, sourceEventId: bigint, time: Moment, groupNumber: () => number): void {
    this.sources.read += 1;
    const key = this.identityWith(party, sourceEventId);
    const identity = this.identities.numberOf(key);
    const same = identity === undefined ? NONE : this.withIdentity(identity);
    if (same.some((other) => this.timeOf(other) === time)) {
      this.sources.repeated += 1;
      return;
    }
    const group = groupNumber();
    const number = this.count++;
    this.groupOf.set(number, group);
    this.times.set(number, time);
    const isTooMany = same.length >= MOST_ALIKE;
    const confused = isTooMany ? same : same.filter((other) => this.mayBeConfused(number, other));
    if (confused.length > 0) for (const one of [number, ...confused]) this.ambiguous.set(one, 1);
    if (isTooMany) return;
    if (same[0] !== undefined) this.earlier.set(number, same[0] + 1);
    this.lastOf.set(identity ?? this.identities.add(key), number);
  }

  /** The sources with an identity, the last one first. */
  private withIdentity(identity: number): readonly number[] {
    const same: number[] = [];
    for (let next = this.lastOf.get(identity); next >= 0; next = this.earlier.get(next) - 1) same.push(next);
    return same;
  }

  private timeOf(source: number): Moment {
    return moment(this.times.get(source));
  }

  /** Whether a report of one source could be due when one of the other is. Walks through the ends of both, which are in order. */
  private mayBeConfused(one: number, other: number): boolean {
    const [ends, otherEnds] = [this.endsOf(one), this.endsOf(other)];
    if (ends === null || otherEnds === null) return true;
    const shift = this.timeOf(one) - this.timeOf(other);
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
    return this.groups.rulesOf(this.groupOf.get(source));
  }

  private groupNumber(group: SourceGroup, time: Moment): number {
    const { completeUntil } = this.options;
    return this.groups.numberOf(
      group,
      (lastEnd) => completeUntil !== null && after(time, lastEnd) > completeUntil,
    );
  }

  /** Counts the report for its source. */
  addReport(report: JoinedReport): void {
    this.reports.read += 1;
    if (!this.reportIds.add(report)) {
      this.reports.duplicate += 1;
      return;
    }
    const source = this.sourceOf(report);
    if (source === undefined) {
      this.reports.unknownSource += 1;
      const party = this.partyOf(report);
      this.digits.seeUnknown(
        report.sourceEventId,
        (id) => keyWith(party, id),
        (id) => id < ID_END && this.identities.numberOf(this.identityWith(party, id)) !== undefined,
      );
      return;
    }
    // Anybody can send the others again, or with made-up ids, long after the log was taken.
    if (report.receivedTime !== null && report.receivedTime > this.lastArrival)
      this.lastArrival = report.receivedTime;
    const rules = this.isAmbiguous(source) ? undefined : this.rulesOf(source);
    if (rules === undefined) {
      this.reports.unusedSource += 1;
      return;
    }
    const outputs = this.ownOutputs(source);
    if (this.use.report(outputs, rules, report, this.timeOf(source), this.options.skew))
      this.addDelay(rules, report);
    this.outputsOf.set(source, this.placeFor(outputs));
    if (outputs.misfits > 0) this.misfitsOf.set(source, outputs.misfits);
  }

  private ownOutputs(source: number): SourceOutputs {
    return this.sharedOutputs(source).copy(this.misfitsOf.get(source));
  }

  private sharedOutputs(source: number): SourceOutputs {
    return this.outputs[this.outputsOf.get(source)] ?? new SourceOutputs();
  }

  /** Many sources have the same few reports, so what these say is kept once. */
  private placeFor(outputs: SourceOutputs): number {
    const text = outputs.text();
    let place = this.placeOf.get(text);
    if (place === undefined) this.placeOf.set(text, (place = this.outputs.push(outputs) - 1));
    return place;
  }

  /** A source without its value counts as missing, so values say nothing of delays. Nothing is under way of what is complete. */
  private addDelay(rules: SourceRules, { scheduledTime, receivedTime }: JoinedReport): void {
    if (receivedTime !== null && !rules.estimator.valued && this.options.completeUntil === null)
      this.delaysOf(rules).add(scheduledTime, receivedTime);
  }

  /** The source with the id of a report that has a report due at its time; the last one with the id if none has. */
  private sourceOf(report: JoinedReport): number | undefined {
    const identity = this.identities.numberOf(this.identityWith(this.partyOf(report), report.sourceEventId));
    if (identity === undefined) return undefined;
    const last = this.lastOf.get(identity);
    if (this.earlier.get(last) === 0) return last;
    return (
      this.withIdentity(identity).find((source) =>
        this.endsOf(source)?.some(
          (end) =>
            Math.abs(after(this.timeOf(source), end) - report.scheduledTime) <= tolerance(this.options.skew),
        ),
      ) ?? last
    );
  }

  private delaysOf(rules: SourceRules): SeenDelays {
    let delays = this.delays.get(rules);
    if (delays === undefined) this.delays.set(rules, (delays = new SeenDelays()));
    return delays;
  }

  /** The log whose ids went through a floating-point number, if that is why most reports have no source. */
  digitsLostIn(): ReturnType<LostDigits['of']> {
    const { read, duplicate } = this.reports;
    return this.digits.of(read - duplicate, () => this.loggedIds());
  }

  private *loggedIds(): Generator<readonly [id: bigint, keyOf: (id: bigint) => string]> {
    for (let number = 0; number < this.identities.size; number++) {
      this.identities.read(number, this.identity);
      const party = this.identity[IDENTITY_WORDS - 1] ?? 0;
      yield [this.idOfIdentity[0] ?? 0n, (other) => keyWith(party, other)];
    }
  }

  get cells(): number {
    return this.groups.cells;
  }

  get groupCount(): number {
    return this.groups.count;
  }

  /** The result, once all lines were added. */
  result(): JoinResult {
    const tally = new SourceTally();
    for (let source = 0; source < this.count; source++) {
      const number = this.isAmbiguous(source) ? AMBIGUOUS : this.groupOf.get(source);
      const rules = this.groups.rulesOf(number);
      const outputs = this.misfitsOf.get(source) === 0 ? this.sharedOutputs(source) : this.ownOutputs(source);
      if (rules === undefined) tally.addUnused(number, 1);
      else tally.add(number, rules, outputs.output(rules), 1, outputs.hasGap() ? 1 : 0);
    }
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
    let reused = 0;
    for (let identity = 0; identity < this.identities.size; identity++) {
      const same = this.withIdentity(identity);
      if (same.length > 1) reused += same.filter((source) => !this.isAmbiguous(source)).length;
    }
    return reused;
  }

  private isAmbiguous(source: number): boolean {
    return this.ambiguous.get(source) === 1;
  }

  /** The number of the origin, type and sites; `NO_PARTY` if no source has them: strangers can send reports with any number of others. */
  private partyOf(of: Party): number {
    const written = partyKey(of);
    const known = this.numbers.get(written);
    if (known !== undefined) return known;
    const number = this.parties.get(this.partyText(of)) ?? NO_PARTY;
    if (number !== NO_PARTY) this.numbers.put(written, number);
    return number;
  }

  private numberOfParty(party: Party): number {
    const known = this.partyOf(party);
    return known === NO_PARTY ? this.newParty(party) : known;
  }

  private newParty(source: Party): number {
    const number = this.parties.size;
    this.parties.set(this.partyText(source), number);
    return number;
  }

  private partyText({ reportingOrigin, destinations, sourceType }: Party): string {
    return [reportingOrigin, sourceType, ...this.sitesOf(destinations)].join(' ');
  }

  /** The same array each time. */
  private identityWith(party: number, id: bigint): Int32Array {
    this.idOfIdentity[0] = id;
    this.identity[IDENTITY_WORDS - 1] = party;
    return this.identity;
  }
}

/** Ids have 64 bits. One that a floating-point number rounds up to this would become 0 in an array of them. */
const ID_END = 2n ** 64n;

const keyWith = (party: number, id: bigint): string => `${party} ${id}`;
