import { isJsonObject, type Json, type JsonObject } from '../../../src/model/json';
import { filterValues } from '../../../src/attribution/match-filters';
import type { FilterConfig, FilterPair } from '../../../src/model/registration';
import type { Source } from '../../../src/model/records';
import { between, type Duration, type Moment } from '../../../src/model/units';
import { least } from '../../../numeric/extremes';

/** What must change for a trigger's filters to match a source. */
export interface FilterChange {
  /** How many filters. */
  readonly count: number;
  /** @param json the object that the filters were parsed from. @returns the same with filters that match */
  readonly in: (json: JsonObject) => JsonObject;
}

const LOOKBACK_WINDOW = '_lookback_window';

/** With as many filter configs, keys and values as it counts, `filterChange` takes time in proportion. */
export const filterSize = ({ filters, notFilters }: FilterPair): number =>
  [...filters, ...notFilters].reduce(
    (sum, { values }) => [...values.values()].reduce((size, { length }) => size + 1 + length, sum + 1),
    0,
  );

/** The fewest changes. Takes time in proportion to the filters and the source's filter data together. */
export function filterChange(
  { filters, notFilters }: FilterPair,
  source: Source,
  time: Moment,
): FilterChange {
  const found = foundIn(source, between(source.time, time));
  const wanted = fewest(filters.map((config) => matching(config, found)));
  const unwanted = fewest(notFilters.map((config) => notMatching(config, found)));
  return {
    count: countOf(wanted?.patch) + countOf(unwanted?.patch),
    in: (json) => ({
      ...json,
      ...changed(json, 'filters', wanted),
      ...changed(json, 'not_filters', unwanted),
    }),
  };
}

/** What filters ask of a source. */
interface Found {
  readonly age: Duration;
  /** Undefined if it has no such key. */
  readonly values: (key: string) => readonly string[] | undefined;
  /** ARA, "match filter values". */
  readonly hasCommon: (key: string, wanted: readonly string[]) => boolean;
}

function foundIn(source: Source, age: Duration): Found {
  const sets = new Map<string, ReadonlySet<string>>();
  const values = (key: string): readonly string[] | undefined => filterValues(source, key);
  const setOf = (key: string): ReadonlySet<string> => {
    const set = sets.get(key) ?? new Set(values(key));
    sets.set(key, set);
    return set;
  };
  return {
    age,
    values,
    hasCommon: (key, wanted) =>
      wanted.length === 0 ? setOf(key).size === 0 : wanted.some((value) => setOf(key).has(value)),
  };
}

/** The fields of one filter config to set, and those to remove. */
interface Patch {
  readonly set: JsonObject;
  readonly remove: readonly string[];
}

const countOf = (patch: Patch | undefined): number =>
  patch === undefined ? 0 : Object.keys(patch.set).length + patch.remove.length;

interface Placed {
  readonly index: number;
  readonly patch: Patch;
}

/** One config of a list must match: the one that needs the fewest changes. Null if there are none. */
function fewest(patches: readonly Patch[]): Placed | null {
  const counts = patches.map(countOf);
  const index = counts.indexOf(least(counts));
  const patch = patches[index];
  return patch === undefined ? null : { index, patch };
}

function changed(json: JsonObject, name: string, placed: Placed | null): JsonObject {
  const configs = json[name];
  if (placed === null || configs === undefined || countOf(placed.patch) === 0) return {};
  const { index, patch } = placed;
  if (!Array.isArray(configs)) return { [name]: patched(configs, patch) };
  return {
    [name]: (configs as readonly Json[]).map((one, at) => (at === index ? patched(one, patch) : one)),
  };
}

function patched(json: Json, { set, remove }: Patch): Json {
  if (!isJsonObject(json)) return json;
  const removed = new Set(remove);
  return Object.fromEntries(Object.entries({ ...json, ...set }).filter(([key]) => !removed.has(key)));
}

/** What must change for a config of `filters` to match. */
function matching({ values, lookbackWindow }: FilterConfig, found: Found): Patch {
  const differing = [...values].flatMap(([key, wanted]) => {
    const own = found.values(key);
    return own === undefined || found.hasCommon(key, wanted) ? [] : [[key, own] as const];
  });
  const tooOld = lookbackWindow !== null && found.age > lookbackWindow;
  return {
    set: {
      ...Object.fromEntries(differing),
      ...(tooOld ? { [LOOKBACK_WINDOW]: Math.ceil(found.age / 1000) } : {}),
    },
    remove: [],
  };
}

/** What must change for a config of `not_filters` to match nothing of the source. */
function notMatching({ values, lookbackWindow }: FilterConfig, found: Found): Patch {
  const common = [...values].flatMap(([key, unwanted]) =>
    found.values(key) !== undefined && found.hasCommon(key, unwanted) ? [key] : [],
  );
  const isWithin = lookbackWindow !== null && found.age <= lookbackWindow;
  return { set: {}, remove: [...common, ...(isWithin ? [LOOKBACK_WINDOW] : [])] };
}
