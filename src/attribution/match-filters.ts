import type { FilterConfig, FilterPair } from '../model/registration';
import type { Source } from '../model/records';
import type { Matcher } from '../model/trigger';
import { between, type Moment } from '../model/units';

type Filtered = Pick<Source, 'sourceType' | 'registration'>;

/** The values of a key in a source's filter data, with the implied `source_type` (ARA, "process an attribution source"). */
export const filterValues = (
  { sourceType, registration }: Filtered,
  key: string,
): readonly string[] | undefined => (key === 'source_type' ? [sourceType] : registration.filterData.get(key));

/** ARA, "match an attribution source against filters and negated filters". @param time of the trigger */
export function filterMatcher(pairs: readonly FilterPair[], time: Moment): Matcher {
  const [matches, matchesNot] = [listMatcher(pairs, 'filters', time), listMatcher(pairs, 'notFilters', time)];
  return (source) => {
    const [isMatch, isNotMatch] = [matches(source), matchesNot(source)];
    return (pair) => isMatch(pair) && isNotMatch(pair);
  };
}

/** ARA, "match an attribution source against filters", or negated filters: no configs, or one of them matches. */
function listMatcher(pairs: readonly FilterPair[], name: keyof FilterPair, time: Moment): Matcher {
  const lists = pairs.map((pair) => pair[name]);
  if (lists.every(({ length }) => length === 0)) return () => () => true;
  let count = 0;
  const numbers = lists.map((configs) => configs.map(() => count++));
  const matches = configMatcher(lists.flat(), name === 'notFilters', time);
  return (source) => {
    const isMatch = matches(source);
    return (pair) => lists[pair]?.length === 0 || numbers[pair]?.some(isMatch) === true;
  };
}

/**
 * ARA, "match an attribution source against a filter config", for all of a trigger's configs at once. A config fails if the source is too old for
 * it, or has no value in common with it for a key that both have; negated, if the source is not too old, or has one in common.
 *
 * A trigger can have 128 KiB of configs, and 10,000 candidates. So the configs are read once, by key and value, and a source is compared only with
 * those that name its keys. Notes about a config are never cleared: each source and each key has a new number, so older notes do not match.
 */
function configMatcher(
  configs: readonly FilterConfig[],
  isNegated: boolean,
  time: Moment,
): (source: Filtered & Pick<Source, 'time'>) => (config: number) => boolean {
  const windows = Float64Array.from(configs, ({ lookbackWindow }) =>
    lookbackWindow === null ? (isNegated ? -1 : Infinity) : lookbackWindow,
  );
  const byKey = configsByKey(configs);
  /** For each config, the number of the last source that it did not match, and of the last key with a value in common. */
  const [failedAt, commonAt] = [new Int32Array(configs.length), new Int32Array(configs.length)];
  let [sourceNumber, keyNumber] = [0, 0];
  return (source) => {
    sourceNumber++;
    const age = between(source.time, time);
    for (let config = 0; config < windows.length; config++)
      if (age <= (windows[config] ?? 0) === isNegated) failedAt[config] = sourceNumber;
    for (const key of ['source_type', ...source.registration.filterData.keys()]) {
      const named = byKey.get(key);
      if (named === undefined) continue;
      keyNumber++;
      for (const value of valuesOrNone(filterValues(source, key) ?? []))
        for (const config of named.byValue.get(value) ?? []) commonAt[config] = keyNumber;
      for (const config of named.all)
        if ((commonAt[config] === keyNumber) === isNegated) failedAt[config] = sourceNumber;
    }
    return (config) => failedAt[config] !== sourceNumber;
  };
}

/** The numbers of the configs that name a key: all, and those that list a value. */
interface ConfigsOfKey {
  readonly all: number[];
  readonly byValue: Map<string | typeof NO_VALUE, number[]>;
}

function configsByKey(configs: readonly FilterConfig[]): ReadonlyMap<string, ConfigsOfKey> {
  const byKey = new Map<string, ConfigsOfKey>();
  for (const [config, { values }] of configs.entries())
    for (const [key, wanted] of values) {
      const named: ConfigsOfKey = byKey.get(key) ?? { all: [], byValue: new Map() };
      byKey.set(key, named);
      named.all.push(config);
      for (const value of valuesOrNone(wanted)) {
        const listing = named.byValue.get(value) ?? [];
        named.byValue.set(value, listing);
        listing.push(config);
      }
    }
  return byKey;
}

const NO_VALUE = Symbol('no value');

/** ARA, "match filter values": two empty lists match, as if they had this in common. Otherwise, one common value is enough. */
const valuesOrNone = (values: readonly string[]): readonly (string | typeof NO_VALUE)[] =>
  values.length === 0 ? [NO_VALUE] : values;
