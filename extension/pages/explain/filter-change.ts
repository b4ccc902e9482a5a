import { isJsonObject, type Json, type JsonObject } from '../../../src/model/json';
import { filterValues } from '../../../src/attribution/match-filters';
import type { FilterConfig, FilterPair } from '../../../src/model/registration';
import type { Source } from '../../../src/model/records';
import { between, type Moment } from '../../../src/model/units';
import { least } from '../../../numeric/extremes';

/** A trigger's object with filters that match a source, and how many filters had to change. */
export interface FilterChange {
  readonly json: JsonObject;
  readonly count: number;
}

const LOOKBACK_WINDOW = '_lookback_window';

/** Changes as few filters as possible. @param json of the object that `pair` was parsed from */
export function withMatchingFilters(
  json: JsonObject,
  { filters, notFilters }: FilterPair,
  source: Source,
  time: Moment,
): FilterChange {
  const wanted = changedList(json['filters'], filters, (config) => matching(config, source, time));
  const unwanted = changedList(json['not_filters'], notFilters, (config) =>
    notMatching(config, source, time),
  );
  return {
    json: {
      ...json,
      ...(wanted.count > 0 ? { filters: wanted.json } : {}),
      ...(unwanted.count > 0 ? { not_filters: unwanted.json } : {}),
    },
    count: wanted.count + unwanted.count,
  };
}

/** The fields of one filter config to set, and those to remove. */
interface Patch {
  readonly set: JsonObject;
  readonly remove: readonly string[];
}

/** One config of a list must match. The one that needs the fewest changes gets them. */
function changedList(
  json: Json | undefined,
  configs: readonly FilterConfig[],
  patchOf: (config: FilterConfig) => Patch,
): { readonly json: Json; readonly count: number } {
  const patches = configs.map(patchOf);
  const counts = patches.map(({ set, remove }) => Object.keys(set).length + remove.length);
  const count = least(counts);
  const index = counts.indexOf(count);
  const patch = patches[index];
  if (json === undefined || patch === undefined || count === 0) return { json: json ?? null, count: 0 };
  if (!Array.isArray(json)) return { json: patched(json, patch), count };
  return {
    json: (json as readonly Json[]).map((one, at) => (at === index ? patched(one, patch) : one)),
    count,
  };
}

const patched = (json: Json, { set, remove }: Patch): Json =>
  isJsonObject(json)
    ? Object.fromEntries(Object.entries({ ...json, ...set }).filter(([key]) => !remove.includes(key)))
    : json;

/** What must change for a config of `filters` to match. */
function matching({ values, lookbackWindow }: FilterConfig, source: Source, time: Moment): Patch {
  const age = between(source.time, time);
  const differing = [...values].flatMap(([key, wanted]) => {
    const found = filterValues(source, key);
    return found === undefined || isCommon(found, wanted) ? [] : [[key, found] as const];
  });
  const tooOld = lookbackWindow !== null && age > lookbackWindow;
  return {
    set: {
      ...Object.fromEntries(differing),
      ...(tooOld ? { [LOOKBACK_WINDOW]: Math.ceil(age / 1000) } : {}),
    },
    remove: [],
  };
}

/** What must change for a config of `not_filters` to match nothing of the source. */
function notMatching({ values, lookbackWindow }: FilterConfig, source: Source, time: Moment): Patch {
  const common = [...values].flatMap(([key, unwanted]) => {
    const found = filterValues(source, key);
    return found !== undefined && isCommon(found, unwanted) ? [key] : [];
  });
  const isWithin = lookbackWindow !== null && between(source.time, time) <= lookbackWindow;
  return { set: {}, remove: [...common, ...(isWithin ? [LOOKBACK_WINDOW] : [])] };
}

/** ARA, "match filter values". */
const isCommon = (found: readonly string[], wanted: readonly string[]): boolean =>
  wanted.length === 0 ? found.length === 0 : found.some((value) => wanted.includes(value));
