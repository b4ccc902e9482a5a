import type { FilterConfig, FilterMap, FilterPair } from '../../src/model/registration';
import { seconds, type Duration } from '../../src/model/units';
import { shown } from '../../src/model/mistakes';
import { integer, list, set, type Parser } from '../codec/codec';
import { Fields } from '../codec/record';
import type { Place } from '../codec/issues';
import { shortText, utf8Length } from './short-text';

const LOOKBACK_WINDOW = '_lookback_window';
// Longer than any clock runs, and a safe integer in milliseconds.
const MAX_SECONDS = 2 ** 42;

const lookback = integer(1);

interface FilterRules {
  readonly maxEntries: number;
  readonly maxValues: number;
  readonly maxLength: number;
  /** Values form a set, so repeating one is allowed. */
  readonly values: Parser<readonly string[]>;
}

const rules = (maxEntries: number, maxValues: number, maxLength: number): FilterRules => ({
  maxEntries,
  maxValues,
  maxLength,
  values: set(shortText(maxLength)),
});

const ofSource = rules(50, 50, 25);
const ofTrigger = rules(Infinity, Infinity, Infinity);

/** ARA, "parse filter data": the `filter_data` of a source. `source_type` is implied and may not be given. */
export const filterData: Parser<FilterMap> = (place) => {
  const fields = new Fields(place);
  if (fields.has('source_type')) place.at('source_type', null).error('implied-field');
  return filterValues(place, fields, ofSource);
};

const filterConfig: Parser<FilterConfig> = (place) => {
  const fields = new Fields(place);
  const lookbackWindow = fields.optional<Duration | null>(
    LOOKBACK_WINDOW,
    (at) => seconds(Math.min(lookback(at), MAX_SECONDS)),
    null,
  );
  return { values: filterValues(place, fields, ofTrigger), lookbackWindow };
};

const filterConfigs = list(filterConfig);

/** ARA, "parse filters": one filter config, or a list of which one must match. */
const filters: Parser<readonly FilterConfig[]> = (place) =>
  Array.isArray(place.value) ? filterConfigs(place) : [filterConfig(place)];

/** ARA, "parse a filter pair": `filters` and `not_filters` of a trigger's object. */
export function filterPair(fields: Fields): FilterPair {
  return {
    filters: fields.optional('filters', filters, []),
    notFilters: fields.optional('not_filters', filters, []),
  };
}

/** ARA, "parse filter values". */
function filterValues(place: Place, fields: Fields, of: FilterRules): FilterMap {
  const keys = [...fields.names()].filter((key) => key !== LOOKBACK_WINDOW || of === ofSource);
  if (keys.length > of.maxEntries) place.error('too-many-keys', { max: of.maxEntries, count: keys.length });
  return new Map(keys.map((key) => [key, fields.optional(key, valuesOf(key, of), [])]));
}

const valuesOf =
  (key: string, of: FilterRules): Parser<readonly string[]> =>
  (place) => {
    if (key.startsWith('_')) place.error('reserved-key');
    if (utf8Length(key) > of.maxLength) place.error('long-key', { max: of.maxLength, key: shown(key) });
    const values = of.values(place);
    if (key === 'source_type' && values.some((value) => value !== 'navigation' && value !== 'event'))
      place.warn('unknown-source-type');
    if (values.length > of.maxValues)
      place.error('too-many-values', { max: of.maxValues, count: values.length });
    return values;
  };
