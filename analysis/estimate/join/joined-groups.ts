import type { SourceRegistration } from '../../../src/model/registration';
import { minutes, type Duration } from '../../../src/model/units';
import { ReportSpace } from '../../../src/states/report-space';
import { shapeOf, triggerDataOf } from '../../../src/states/source-space';
import { cellsOf, configurationKey, type Configuration } from '../quantities/configuration';
import { estimatorOf } from '../unbiased/estimator-of';
import { heartbeatEstimator, isHeartbeat } from '../unbiased/heartbeats';
import type { DelayedReports } from '../unbiased/report-delays';
import type { SourceRules } from './source-outputs';
import { firstName, mergeConfigurations, type ConfigurationTally, type GroupTally } from '../unbiased/tally';

/** The group under which a source is counted. */
export interface SourceGroup {
  /** Null if the log does not contain it. */
  readonly configuration: { readonly name: string | null; readonly configuration: Configuration } | null;
  readonly group: readonly string[];
}

/** Used instead of a group's number for sources that are not used. */
export const AMBIGUOUS = -1;
const NO_CONFIGURATION = -2;
export const OPEN = -3;

interface ConfigurationEntry extends SourceRules {
  given: string | null;
  readonly number: number;
  readonly configuration: Configuration;
  readonly lastEnd: Duration;
}

/** A group of the sources of one configuration. */
interface GroupEntry {
  readonly configuration: ConfigurationEntry;
  readonly group: readonly string[];
}

/** @param configuration its number */
export function groupKey(configuration: number, group: readonly string[]): string {
  let key = String(configuration);
  for (const value of group) key += ` ${value.length} ${value}`;
  return key;
}

/** Numbers the configurations and groups of sources. */
export class JoinedGroups {
  private readonly configurations = new Map<string, ConfigurationEntry>();
  /** Sources can share their configuration, whose key takes longer to make than to find. */
  private readonly known = new WeakMap<Configuration, ConfigurationEntry>();
  private readonly groups: GroupEntry[] = [];
  private readonly numbers = new Map<string, number>();
  /** Of all groups together. */
  cells = 0;

  get count(): number {
    return this.groups.length;
  }

  /**
   * @param isOpen whether the last report window of the source is open, given when it ends.
   * @returns the number of the group, or one of the constants.
   * @throws ParameterError when the parameters of the mechanism are invalid.
   */
  numberOf({ configuration, group }: SourceGroup, isOpen: (lastEnd: Duration) => boolean): number {
    if (configuration === null) return NO_CONFIGURATION;
    const entry = this.entryOf(configuration);
    if (isOpen(entry.lastEnd)) return OPEN;
    const key = groupKey(entry.number, group);
    let number = this.numbers.get(key);
    if (number === undefined) {
      this.numbers.set(key, (number = this.groups.push({ configuration: entry, group }) - 1));
      this.cells += cellsOf(entry.configuration);
    }
    return number;
  }

  private entryOf({ name, configuration }: NonNullable<SourceGroup['configuration']>): ConfigurationEntry {
    let entry = this.known.get(configuration);
    if (entry === undefined) this.known.set(configuration, (entry = this.entryOfKey(name, configuration)));
    entry.given = firstName(entry.given, name);
    return entry;
  }

  private entryOfKey(name: string | null, configuration: Configuration): ConfigurationEntry {
    const key = configurationKey(configuration);
    let entry = this.configurations.get(key);
    if (entry === undefined) {
      entry = {
        given: name,
        number: this.configurations.size,
        configuration,
        lastEnd: lastWindowEnd(configuration.shape),
        ...rulesOf(configuration),
      };
      this.configurations.set(key, entry);
    }
    return entry;
  }

  /** The possible outputs of a group's sources; undefined for a constant. */
  rulesOf(number: number): SourceRules | undefined {
    return this.groups[number]?.configuration;
  }

  /**
   * The tallies of each configuration's groups, without groups that have none.
   * @param tallies how many sources gave each output, by the number of the group.
   * @param delaysOf the delays of the reports of a configuration.
   */
  tallies(
    tallies: ReadonlyMap<number, ReadonlyMap<string, number>>,
    delaysOf: (rules: SourceRules) => readonly DelayedReports[] | undefined,
  ): readonly ConfigurationTally[] {
    const groupsOf = new Map(
      [...this.configurations.values()].map((entry): [typeof entry, GroupTally[]] => [entry, []]),
    );
    this.groups.forEach(({ configuration, group }, number) => {
      const tally = tallies.get(number);
      if (tally !== undefined) groupsOf.get(configuration)?.push({ group, tally });
    });
    return mergeConfigurations(
      [...groupsOf].map(([entry, groups]) => {
        const { given, configuration } = entry;
        const delays = delaysOf(entry);
        return { given, configuration, groups, ...(delays === undefined ? {} : { delays }) };
      }),
    );
  }
}

/** @throws ParameterError when the parameters of the mechanism are invalid. */
export const rulesOf = (configuration: Configuration): SourceRules => ({
  shape: configuration.shape,
  data: triggerDataOf(configuration.shape),
  ends: distinctEnds(configuration.shape),
  space: new ReportSpace(shapeOf(configuration.shape)),
  estimator: isHeartbeat(configuration) ? heartbeatEstimator(configuration) : estimatorOf(configuration),
  isHeartbeat: isHeartbeat(configuration),
});

const distinctEnds = ({ triggerSpecs }: Pick<SourceRegistration, 'triggerSpecs'>): readonly Duration[] =>
  [...new Set(triggerSpecs.flatMap(({ windows }) => windows.ends))].sort((a, b) => a - b);

/** The delay from the source to its last report. */
export function lastWindowEnd({ triggerSpecs }: Pick<SourceRegistration, 'triggerSpecs'>): Duration {
  const ends = triggerSpecs.flatMap(({ windows }) => windows.ends);
  return ends.length === 0 ? minutes(0) : ends.reduce((a, b) => (a > b ? a : b));
}
