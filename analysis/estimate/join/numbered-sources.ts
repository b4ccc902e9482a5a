import type { Moment } from '../../../src/model/units';
import { cellsOf, configurationKey, type Configuration } from '../quantities/configuration';
import { partyKey, type LoggedSource, type Party } from './logged-source';
import { groupKey, type SourceGroup } from './joined-groups';

/** What the sources of a log have in common, in the order of its numbers. */
export interface NumberedSources {
  readonly parties: readonly Party[];
  readonly groups: readonly SourceGroup[];
}

/** A source of which only numbers are left. */
export interface NumberedSource {
  /** Numbers in `NumberedSources`. */
  readonly party: number;
  readonly group: number;
  readonly sourceEventId: bigint;
  readonly time: Moment;
}

/** So many parties with the same destinations are found by them. */
const MOST_ALIKE = 8;

/** Numbers what sources have in common, so that few bytes are left of each. */
export class SourceNumbers implements NumberedSources {
  readonly parties: Party[] = [];
  readonly groups: SourceGroup[] = [];
  /** Of all groups together, as `cellsOf` counts them. */
  cells = 0;
  private readonly partyNumbers = new Map<string, number>();
  /** Sources share their destinations. To make the key takes a tenth of the time for a source. */
  private readonly partiesOf = new WeakMap<readonly string[], readonly number[]>();
  private readonly groupNumbers = new Map<string, number>();
  private readonly configurations = new Map<string, number>();
  /** Sources share their configuration, whose key takes longer to make than to find. */
  private readonly known = new WeakMap<Configuration, number>();

  partyOf({ reportingOrigin, sourceType, destinations }: LoggedSource): number {
    const same = this.partiesOf.get(destinations) ?? [];
    for (const number of same) {
      const party = this.parties[number];
      if (party?.reportingOrigin === reportingOrigin && party.sourceType === sourceType) return number;
    }
    const number = this.partyWith({ reportingOrigin, sourceType, destinations });
    if (same.length < MOST_ALIKE) this.partiesOf.set(destinations, [...same, number]);
    return number;
  }

  private partyWith(party: Party): number {
    const key = partyKey(party);
    let number = this.partyNumbers.get(key);
    if (number === undefined) this.partyNumbers.set(key, (number = this.parties.push(party) - 1));
    return number;
  }

  groupOf({ configuration, group }: LoggedSource): number {
    const key = groupKey(
      configuration === null ? -1 : this.configurationOf(configuration.configuration),
      group,
    );
    let number = this.groupNumbers.get(key);
    if (number === undefined) {
      this.groupNumbers.set(key, (number = this.groups.push({ configuration, group }) - 1));
      if (configuration !== null) this.cells += cellsOf(configuration.configuration);
    }
    return number;
  }

  private configurationOf(configuration: Configuration): number {
    let number = this.known.get(configuration);
    if (number === undefined) {
      const key = configurationKey(configuration);
      number = this.configurations.get(key) ?? this.configurations.size;
      this.configurations.set(key, number);
      this.known.set(configuration, number);
    }
    return number;
  }
}
