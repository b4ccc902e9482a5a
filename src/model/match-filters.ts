import type { FilterConfig, FilterPair } from '../model/registration';
import type { Source } from '../model/records';
import { between, type Moment } from '../model/units';

type Filtered = Pick<Source, 'sourceType' | 'registration'>;
/** Whether a source matches the pair of this number. It holds until the next source is asked about. */
export type Matcher = (source: Filtered & Pick<Source, 'time'>) => (pair: number) => boolean;

/** Of the source's filter data with the implied `source_type` (ARA, "process an attribution source"). */
export const filterValues = (
  { sourceType, registration }: Filtered,
  key: string,
): readonly string[] | undefined => (key === 'source_type' ? [sourceType] : registration.filterData.get(key));

/** ARA, "match an attribution source against filters and negated filters". Reads all pairs once, and then for each source what names its keys. */
export function filterMatcher(pairs: readonly FilterPair[], time: Moment): Matcher {
  const [matches, matchesNot] = [anyMatcher(pairs, 'filters', time), anyMatcher(pairs, 'notFilters', time)];
  return (source) => {
    const [isMatch, isNotMatch] = [matches(source), matchesNot(source)];
    return (pair) => isMatch(pair) && isNotMatch(pair);
  };
}

/** ARA, "match an attribution source against a filter config", for each of the configs of a list. Its loops run for each source again. */
function anyMatcher(pairs: readonly FilterPair[], name: keyof FilterPair, time: Moment): Matcher {
  const lists = pairs.map((pair) => pair[name]);
  if (lists.every(({ length }) => length === 0)) return () => () => true;
  const negated = name === 'notFilters';
  const all = lists.flat();
  const windows = Float64Array.from(all, ({ lookbackWindow }) => lookbackWindow ?? (negated ? -1 : Infinity));
  let count = 0;
  const numbers = lists.map((configs) => configs.map(() => count++));
  const byKey = configsByKey(all);
  // The number of the last key that had a value in common with each config, and of the last source that it did not match.
  const [common, failed] = [new Int32Array(all.length), new Int32Array(all.length)];
  let [keys, sources] = [0, 0];
  return (source) => {
    const age = between(source.time, time);
    sources++;
    for (let config = 0; config < windows.length; config++)
      if (age <= (windows[config] ?? 0) === negated) failed[config] = sources;
    for (const key of ['source_type', ...source.registration.filterData.keys()]) {
      const named = byKey.get(key);
      if (named === undefined) continue;
      keys++;
      for (const value of listed(filterValues(source, key) ?? []))
        for (const config of named.get(value) ?? []) common[config] = keys;
      for (const config of named.get(ANY) ?? []) {
        if ((common[config] === keys) === negated) failed[config] = sources;
      }
    }
    return (pair) =>
      lists[pair]?.length === 0 || numbers[pair]?.some((config) => failed[config] !== sources) === true;
  };
}

const [ANY, NONE] = [Symbol('any value'), Symbol('no value')];

/** By key and value: the places of the configs that list it. */
function configsByKey(configs: readonly FilterConfig[]): Map<string, Map<string | symbol, number[]>> {
  const byKey: ReturnType<typeof configsByKey> = new Map();
  for (const [config, { values }] of configs.entries())
    for (const [key, wanted] of values) {
      const named = byKey.get(key) ?? new Map<string | symbol, number[]>();
      byKey.set(key, named);
      for (const value of [ANY, ...listed(wanted)]) {
        const places = named.get(value) ?? [];
        places.push(config);
        named.set(value, places);
      }
    }
  return byKey;
}

/** ARA, "match filter values": two empty lists match; otherwise one common value is enough. */
const listed = (values: readonly string[]): readonly (string | symbol)[] =>
  values.length === 0 ? [NONE] : values;
