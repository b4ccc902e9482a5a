import type { SourceType } from '../../src/model/limits';
import type { SourceRegistration } from '../../src/model/registration';
import { after, between, minutes, type Duration, type Moment } from '../../src/model/units';
import type { CollectedReport } from '../../formats/reports/report-line';
import { ReportSpace } from '../../src/states/report-space';
import { shapeOf } from '../../src/states/source-space';
import { configurationKey, type Configuration } from './configuration';
import type { Estimator } from './estimator';
import { estimatorOf } from './estimator-of';
import { sortedSites } from './sorted-sites';
import { SourceOutputs, type Inconsistency, type ReportedCell, type SourceRules } from './source-outputs';
import { firstName, mergeConfigurations, type ConfigurationTally } from './tally';

/** Identifies a source as far as a report can. */
export interface SourceIdentity {
  readonly reportingOrigin: string;
  /** Sites, or URLs on them, in any order. */
  readonly destinations: readonly string[];
  readonly sourceType: SourceType;
  readonly sourceEventId: bigint;
}

/** A row of the source log. */
export interface LoggedSource extends SourceIdentity {
  readonly time: Moment;
  /** Null when the log does not say. */
  readonly configuration: { readonly name: string | null; readonly configuration: Configuration } | null;
  readonly group: readonly string[];
}

/** The part of a report that the join needs. */
export type JoinedReport = SourceIdentity &
  ReportedCell &
  Pick<CollectedReport, 'reportId' | 'randomizedTriggerRate' | 'receivedTime'>;

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
    /** Used, although the report of a lower value bucket is missing. */
    readonly incomplete: number;
  };
  readonly reports: {
    readonly read: number;
    readonly used: number;
    /** Another report had the same `report_id`. */
    readonly duplicate: number;
    /** Their source is not in the log. */
    readonly unknownSource: number;
    /** Their source is not used. */
    readonly unusedSource: number;
    readonly inconsistent: Readonly<Record<Inconsistency, number>>;
    /** Used, but received more than an hour after the due time. */
    readonly late: number;
    /** Used, but with a different noise rate from the configuration's. */
    readonly otherRate: number;
  };
}

/** What is said of clocks and of reports that are still to come. */
export interface JoinOptions {
  /** The largest difference between the clocks of the log and the browsers. */
  readonly skew: Duration;
  /** Reports due by then have arrived; null: all have. */
  readonly completeUntil: Moment | null;
}

const LATE = minutes(60);

interface ConfigurationEntry extends SourceRules {
  given: string | null;
  readonly number: number;
  readonly configuration: Configuration;
  readonly lastEnd: Duration;
}

/** What is counted of the sources of a configuration and group. */
interface GroupEntry {
  readonly configuration: ConfigurationEntry;
  readonly group: readonly string[];
  readonly counts: Map<string, number>;
}

/** Replaces the number of a group. */
const AMBIGUOUS = -1;
const NO_CONFIGURATION = -2;
const OPEN = -3;

/**
 * Joins the source log and the reports line by line: first all sources, then all reports. Keeps in memory a number and a time per source,
 * the cells of sources with reports, and the id of each report.
 */
export class Join {
  private readonly configurations = new Map<string, ConfigurationEntry>();
  private readonly groups: GroupEntry[] = [];
  private readonly groupNumbers = new Map<string, number>();
  private readonly sourceNumbers = new Map<string, number>();
  private readonly groupOf: number[] = [];
  private readonly timeOf: Moment[] = [];
  private readonly outputs = new Map<number, SourceOutputs>();
  private readonly reportIds = new Set<string>();
  private readonly parties = new Map<string, number>();
  private readonly sitesOf = sortedSites();
  private readonly sources = { read: 0, repeated: 0 };
  /** The number of sources without a report, by group number or the constant in its place. */
  private readonly unreported = new Map<number, number>();
  private readonly reports = {
    read: 0,
    used: 0,
    duplicate: 0,
    unknownSource: 0,
    unusedSource: 0,
    late: 0,
    otherRate: 0,
  };
  private readonly inconsistent: Record<Inconsistency, number> = {
    triggerData: 0,
    window: 0,
    bucket: 0,
    tooMany: 0,
    value: 0,
  };

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
    else this.groupOf[known] = AMBIGUOUS;
  }

  /**
   * Adds counts of sources that have no report and appear on no other line, so that a database can count them.
   * @param isOpen whether their last report window ends after `completeUntil`.
   */
  addUnreported(
    { configuration, group }: Pick<LoggedSource, 'configuration' | 'group'>,
    isOpen: boolean,
    sources: number,
  ): void {
    this.sources.read += sources;
    const entry = configuration === null ? null : this.configurationEntry(configuration);
    const number = entry === null ? NO_CONFIGURATION : isOpen ? OPEN : this.groupNumberOf(entry, group);
    this.unreported.set(number, (this.unreported.get(number) ?? 0) + sources);
  }

  private groupNumber({ configuration, group, time }: LoggedSource): number {
    if (configuration === null) return NO_CONFIGURATION;
    const entry = this.configurationEntry(configuration);
    const { completeUntil } = this.options;
    if (completeUntil !== null && after(time, entry.lastEnd) > completeUntil) return OPEN;
    return this.groupNumberOf(entry, group);
  }

  private groupNumberOf(entry: ConfigurationEntry, group: readonly string[]): number {
    const key = JSON.stringify([entry.number, ...group]);
    let number = this.groupNumbers.get(key);
    if (number === undefined) {
      number = this.groups.push({ configuration: entry, group, counts: new Map() }) - 1;
      this.groupNumbers.set(key, number);
    }
    return number;
  }

  private configurationEntry({
    name,
    configuration,
  }: NonNullable<LoggedSource['configuration']>): ConfigurationEntry {
    const key = configurationKey(configuration);
    let entry = this.configurations.get(key);
    if (entry === undefined) {
      const { shape } = configuration;
      entry = {
        given: name,
        number: this.configurations.size,
        configuration,
        shape,
        space: new ReportSpace(shapeOf(shape)),
        estimator: estimatorOf(configuration),
        lastEnd: lastWindowEnd(configuration.shape),
      };
      this.configurations.set(key, entry);
    }
    entry.given = firstName(entry.given, name);
    return entry;
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
    const entry = this.groups[group]?.configuration;
    if (entry === undefined) this.reports.unusedSource += 1;
    else this.addToSource(source, time, entry, report);
  }

  private addToSource(source: number, time: Moment, entry: ConfigurationEntry, report: JoinedReport): void {
    let outputs = this.outputs.get(source);
    if (outputs === undefined) this.outputs.set(source, (outputs = new SourceOutputs()));
    const wrong = outputs.add(entry, report, time, this.options.skew);
    if (wrong !== null) {
      this.inconsistent[wrong] += 1;
      return;
    }
    this.reports.used += 1;
    if (report.receivedTime !== null && between(report.scheduledTime, report.receivedTime) > LATE)
      this.reports.late += 1;
    if (report.randomizedTriggerRate !== null && isOtherRate(entry.estimator, report.randomizedTriggerRate))
      this.reports.otherRate += 1;
  }

  /** The result, once all lines were added. */
  result(): {
    readonly configurations: readonly ConfigurationTally[];
    readonly counts: JoinCounts;
    readonly completeUntil: Moment | null;
  } {
    const unused = { missing: 0, impossible: 0, ambiguous: 0, unknownConfiguration: 0, open: 0 };
    let [used, incomplete] = [0, 0];
    for (const { counts } of this.groups) counts.clear();
    const count = (number: number, outputs: SourceOutputs, sources: number): void => {
      const group = this.groups[number];
      if (group === undefined) {
        if (number === AMBIGUOUS) unused.ambiguous += sources;
        else if (number === OPEN) unused.open += sources;
        else unused.unknownConfiguration += sources;
        return;
      }
      const output = outputs.output(group.configuration);
      if (output === null) unused.missing += sources;
      else if (!group.configuration.estimator.isOutput(output)) unused.impossible += sources;
      else {
        used += sources;
        if (outputs.hasGap()) incomplete += sources;
        if (sources > 0) group.counts.set(output, (group.counts.get(output) ?? 0) + sources);
      }
    };
    this.groupOf.forEach((number, source) => {
      count(number, this.outputs.get(source) ?? new SourceOutputs(), 1);
    });
    for (const [number, sources] of this.unreported) count(number, new SourceOutputs(), sources);
    return {
      completeUntil: this.options.completeUntil,
      configurations: mergeConfigurations(
        [...this.configurations.values()].map((entry) => ({
          given: entry.given,
          configuration: entry.configuration,
          groups: this.groups
            .filter((group) => group.configuration === entry && group.counts.size > 0)
            .map(({ group, counts }) => ({ group, tally: counts })),
        })),
      ),
      counts: {
        sources: { ...this.sources, used, ...unused, incomplete },
        reports: { ...this.reports, inconsistent: { ...this.inconsistent } },
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

/** The delay from the source to its last report. */
export function lastWindowEnd({ triggerSpecs }: Pick<SourceRegistration, 'triggerSpecs'>): Duration {
  const ends = triggerSpecs.flatMap(({ windows }) => windows.ends);
  return ends.length === 0 ? minutes(0) : ends.reduce((a, b) => (a > b ? a : b));
}

/** Reports round the rate to seven digits. */
const isOtherRate = ({ replaceProbability }: Estimator, rate: number): boolean =>
  replaceProbability !== null && Math.abs(replaceProbability - rate) > 6e-8;
