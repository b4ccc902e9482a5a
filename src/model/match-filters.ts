import type { FilterConfig, FilterPair } from '../model/registration';
import type { Source } from '../model/records';
import { between, type Moment } from '../model/units';

type Filtered = Pick<Source, 'sourceType' | 'registration'>;
type Matcher = (source: Filtered & Pick<Source, 'time'>) => boolean;

/** Of the source's filter data with the implied `source_type` (ARA, "process an attribution source"). */
export const filterValues = (
  { sourceType, registration }: Filtered,
  key: string,
): readonly string[] | undefined => (key === 'source_type' ? [sourceType] : registration.filterData.get(key));

/** ARA, "match an attribution source against filters and negated filters". */
export const matchesFilters = (source: Source, pair: FilterPair, time: Moment): boolean =>
  filterMatcher(pair, time)(source);

/** The same for many sources: reads the filters once, and then for each source what names its keys. */
export function filterMatcher({ filters, notFilters }: FilterPair, time: Moment): Matcher {
  const [matches, matchesNot] = [anyMatcher(filters, time, false), anyMatcher(notFilters, time, true)];
  return (source) => matches(source) && matchesNot(source);
}

/** ARA, "match an attribution source against a filter config", for each of several configs. Its loops run for each source again. */
function anyMatcher(configs: readonly FilterConfig[], time: Moment, negated: boolean): Matcher {
  if (configs.length === 0) return () => true;
  // Those that the most ages fit come first, so the first `fitting` are those that the age of a source fits.
  const windowOf = ({ lookbackWindow }: FilterConfig): number => lookbackWindow ?? (negated ? -1 : Infinity);
  const sign = negated ? 1 : -1;
  const sorted = configs.toSorted((a, b) => sign * (windowOf(a) - windowOf(b)));
  const windows = Float64Array.from(sorted, windowOf);
  const byKey = configsByKey(sorted);
  // The number of the last key that had a value in common with each config, and of the last source that it did not match.
  const [common, failed] = [new Int32Array(configs.length), new Int32Array(configs.length)];
  let fitting = 0;
  let keys = 0;
  let sources = 0;
  return (source) => {
    const age = between(source.time, time);
    while (fitting < windows.length && age <= (windows[fitting] ?? 0) !== negated) fitting++;
    while (fitting > 0 && age <= (windows[fitting - 1] ?? 0) === negated) fitting--;
    let left = fitting;
    sources++;
    for (const key of ['source_type', ...source.registration.filterData.keys()]) {
      const named = byKey.get(key);
      if (named === undefined || left === 0) continue;
      keys++;
      for (const value of listed(filterValues(source, key) ?? []))
        for (const config of named.get(value) ?? []) common[config] = keys;
      for (const config of named.get(ANY) ?? []) {
        if (config >= fitting) break;
        if ((common[config] === keys) !== negated || failed[config] === sources) continue;
        failed[config] = sources;
        left--;
      }
    }
    return left > 0;
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
