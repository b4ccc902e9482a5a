import { configurationKey, type Configuration } from '../quantities/configuration';
import { addedDelays, type DelayedReports } from './report-delays';
import type { OutputCounts } from './response-estimate';

/** How many sources of a group gave each output. */
export interface GroupTally {
  /** Values of the grouping features, in order. */
  readonly group: readonly string[];
  readonly tally: OutputCounts;
}

/** How many sources of a configuration gave each output, by group. */
export interface CountedConfiguration {
  /** Its name in the source log; null if it has none there. */
  readonly given: string | null;
  readonly configuration: Configuration;
  readonly groups: readonly GroupTally[];
  /** The delays of the reports; missing if they are unknown. */
  readonly delays?: readonly DelayedReports[];
}

/** What was counted of a configuration, and its name in the result. */
export interface ConfigurationTally extends CountedConfiguration {
  /** As in the source log where that has a name, and no other configuration of the result has it. */
  readonly name: string;
}

/**
 * Adds up what was counted in parts. The order of everything in the result, and its names, depend on neither the order of the parts nor of the
 * rows in them, so that parts of a log give the same estimates, to the last digit, as the whole log.
 */
export function mergeConfigurations(parts: Iterable<CountedConfiguration>): readonly ConfigurationTally[] {
  const merged = [...groupBy(parts, ({ configuration }) => configurationKey(configuration))]
    .map(([key, same]) => {
      const counted = {
        given: same.map(({ given }) => given).reduce(firstName),
        // Parts with the same key have the same configuration.
        configuration: same[0].configuration,
        groups: mergeGroups(same.flatMap(({ groups }) => groups)),
        ...delaysOf(same),
      };
      return { key, counted };
    })
    .sort(
      (a, b) =>
        compareNames(a.counted.given, b.counted.given) ||
        b.counted.configuration.epsilon - a.counted.configuration.epsilon ||
        compare(a.key, b.key),
    );
  const taken = new Set<string>();
  return merged.map(({ counted }) => {
    const name = freeName(counted.given, counted.configuration, taken);
    taken.add(name);
    return { name, ...counted };
  });
}

function delaysOf(parts: readonly CountedConfiguration[]): Pick<CountedConfiguration, 'delays'> {
  const delays = addedDelays(parts.map((part) => part.delays ?? []));
  return delays.length === 0 ? {} : { delays };
}

function freeName(wish: string | null, { epsilon }: Configuration, taken: ReadonlySet<string>): string {
  const name = wish ?? `#${taken.size + 1}`;
  if (!taken.has(name)) return name;
  const apart = `${name} (epsilon ${epsilon})`;
  return taken.has(apart) ? `${apart} #${taken.size + 1}` : apart;
}

const compareNames = (a: string | null, b: string | null): number =>
  a === null || b === null ? Number(a === null) - Number(b === null) : compare(a, b);

/** A row without the name of its configuration can come before one with it. */
export const firstName = (a: string | null, b: string | null): string | null =>
  compareNames(a, b) <= 0 ? a : b;

export const groupKey = (group: readonly string[]): string => JSON.stringify(group);

/** The larger groups come first. */
const mergeGroups = (groups: readonly GroupTally[]): readonly GroupTally[] =>
  [...groupBy(groups, ({ group }) => groupKey(group)).values()]
    // Parts with the same key have the same group.
    .map((same) => ({ group: same[0].group, tally: mergeTallies(same.map(({ tally }) => tally)) }))
    .sort((a, b) => a.group.length - b.group.length || compareLists(a.group, b.group));

/** The items by their keys, in the order of the first of each. */
export function groupBy<T>(
  items: Iterable<T>,
  keyOf: (item: T) => string,
): ReadonlyMap<string, readonly [T, ...T[]]> {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [item]);
    else known.push(item);
  }
  return groups;
}

/** Adds up the counts of files, days or groups, in ascending order of outputs: decimal numbers of any length. */
export function mergeTallies(tallies: readonly OutputCounts[]): OutputCounts {
  const [only] = tallies;
  if (only !== undefined && tallies.length === 1 && isAscending(only.keys())) return only;
  const merged = new Map<string, number>();
  for (const tally of tallies)
    for (const [output, count] of tally) merged.set(output, (merged.get(output) ?? 0) + count);
  return new Map([...merged].sort(([a], [b]) => compareOutputs(a, b)));
}

const compareOutputs = (a: string, b: string): number => a.length - b.length || compare(a, b);

function isAscending(outputs: Iterable<string>): boolean {
  let before = '';
  for (const output of outputs) {
    if (compareOutputs(before, output) > 0) return false;
    before = output;
  }
  return true;
}

export function sourcesOf(tally: OutputCounts): number {
  let sources = 0;
  for (const count of tally.values()) sources += count;
  return sources;
}

/** Adds all larger groups: one of everything, then by the first feature, and so on. */
export function withParents(groups: readonly GroupTally[]): readonly GroupTally[] {
  return mergeGroups(
    groups.flatMap(({ group, tally }) =>
      [...group, ''].map((_, depth) => ({ group: group.slice(0, depth), tally })),
    ),
  );
}

function compareLists(a: readonly string[], b: readonly string[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index] ?? '';
    if (left !== right) return compare(left, right);
  }
  return 0;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
