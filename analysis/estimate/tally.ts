import type { Configuration } from './configuration';
import type { Tally } from './response-estimate';

export interface GroupTally {
  /** Values of the grouping features, in order. */
  readonly group: readonly string[];
  readonly tally: Tally;
}

export interface ConfigurationTally {
  readonly name: string;
  readonly configuration: Configuration;
  readonly groups: readonly GroupTally[];
}

/** Adds up the counts of files, days or groups. */
export function mergeTallies(tallies: Iterable<Tally>): Tally {
  const merged = new Map<string, number>();
  for (const tally of tallies)
    for (const [output, count] of tally) merged.set(output, (merged.get(output) ?? 0) + count);
  return merged;
}

export function sourcesOf(tally: Tally): number {
  let sources = 0;
  for (const count of tally.values()) sources += count;
  return sources;
}

/** Adds all larger groups: one of everything, then by the first feature, and so on. */
export function withParents(groups: readonly GroupTally[]): readonly GroupTally[] {
  const parts = new Map<string, { group: readonly string[]; tallies: Tally[] }>();
  for (const { group, tally } of groups)
    for (let depth = 0; depth <= group.length; depth++) {
      const prefix = group.slice(0, depth);
      const key = JSON.stringify(prefix);
      const known = parts.get(key);
      if (known === undefined) parts.set(key, { group: prefix, tallies: [tally] });
      else known.tallies.push(tally);
    }
  return [...parts.values()]
    .map(({ group, tallies }) => ({ group, tally: mergeTallies(tallies) }))
    .sort((a, b) => a.group.length - b.group.length || compareLists(a.group, b.group));
}

function compareLists(a: readonly string[], b: readonly string[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index] ?? '';
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
