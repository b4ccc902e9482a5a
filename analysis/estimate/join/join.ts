import type { SourceType } from '../../../src/model/limits';
import { after, moment, type Duration, type Moment } from '../../../src/model/units';
import type { CollectedReport } from '../../../formats/reports/report-line';
import { bytes, doubles, integers } from './column';
import { AMBIGUOUS, JoinedGroups, type SourceGroup } from './joined-groups';
import { KeyTable } from './key-table';
import { LargeMap } from './large-map';
import { SeenDelays } from '../unbiased/report-delays';
import { LostDigits } from './lost-digits';
import { ReportIds } from './report-ids';
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

interface LastParty {
  readonly reportingOrigin: string;
  readonly party: number;
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
 * Joins the source log and the reports line by line: first all sources, then all reports. Keeps 40 to 48 bytes in memory for each source (its id, its time, and
 * the numbers of its group and of what its reports say), and about 25 for the id of each report.
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
  private readonly numbers = new Map<string, number>();
  /** The last party of each type with a list of sites: many sources share their list. */
  private readonly lastParties = {
    navigation: new WeakMap<readonly string[], LastParty>(),
    event: new WeakMap<readonly string[], LastParty>(),
  };
  /** For a source whose id was used before: the source before it. */
  private readonly earlier = new Map<number, number>();
  private readonly ambiguous = new Set<number>();
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
    this.sources.read += 1;
    const key = this.identityWith(this.sharedParty(source), source.sourceEventId);
    const identity = this.identities.numberOf(key);
    const same = identity === undefined ? [] : this.withIdentity(identity);
    if (same.some((other) => this.timeOf(other) === source.time)) {
      this.sources.repeated += 1;
      return;
    }
    const group = this.groupNumber(source);
    const number = this.count++;
    this.groupOf.set(number, group);
    this.times.set(number, source.time);
    const isTooMany = same.length >= MOST_ALIKE;
    const confused = isTooMany ? same : same.filter((other) => this.mayBeConfused(number, other));
    if (confused.length > 0) for (const one of [number, ...confused]) this.ambiguous.add(one);
    if (isTooMany) return;
    if (same[0] !== undefined) this.earlier.set(number, same[0]);
    this.lastOf.set(identity ?? this.identities.add(key), number);
  }

  /** The sources with an identity, the last one first. */
  private withIdentity(identity: number): readonly number[] {
    const same: number[] = [];
    for (
      let next: number | undefined = this.lastOf.get(identity);
      next !== undefined;
      next = this.earlier.get(next)
    )
      same.push(next);
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
    const rules = this.ambiguous.has(source) ? undefined : this.rulesOf(source);
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
    const shared = this.outputs[this.outputsOf.get(source)] ?? new SourceOutputs();
    return shared.copy(this.misfitsOf.get(source));
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
    const identity = this.identities.numberOf(this.identityOf(report));
    if (identity === undefined) return undefined;
    const last = this.lastOf.get(identity);
    if (!this.earlier.has(last)) return last;
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
      const number = this.ambiguous.has(source) ? AMBIGUOUS : this.groupOf.get(source);
      const rules = this.groups.rulesOf(number);
      const outputs = this.ownOutputs(source);
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
    const alike = new Set([...this.earlier].flat());
    return [...alike].filter((source) => !this.ambiguous.has(source)).length;
  }

  /** The few origins and sites are numbered. */
  private partyOf({ reportingOrigin, destinations, sourceType }: SourceIdentity): number {
    const given = `${reportingOrigin} ${sourceType} ${destinations.join(' ')}`;
    let number = this.numbers.get(given);
    if (number === undefined) {
      const parties = [reportingOrigin, sourceType, ...this.sitesOf(destinations)].join(' ');
      number = this.parties.get(parties) ?? this.parties.size;
      this.parties.set(parties, number);
      this.numbers.set(given, number);
    }
    return number;
  }

  /** As `partyOf`, without a text for each source. */
  private sharedParty(source: SourceIdentity): number {
    const { destinations, reportingOrigin, sourceType } = source;
    const parties = this.lastParties[sourceType];
    const last = parties.get(destinations);
    if (last?.reportingOrigin === reportingOrigin) return last.party;
    const party = this.partyOf(source);
    parties.set(destinations, { reportingOrigin, party });
    return party;
  }

  private identityOf(source: SourceIdentity): Int32Array {
    return this.identityWith(this.partyOf(source), source.sourceEventId);
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
