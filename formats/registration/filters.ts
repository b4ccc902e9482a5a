import type { FilterConfig, FilterMap, FilterPair } from '../../src/model/registration';
import { seconds, type Duration } from '../../src/model/units';
import { shown } from '../../src/model/mistakes';
import { Fields, integer, list, set, shortText, utf8Length, type Parser } from '../codec/fields';
import type { Place } from '../codec/issues';

const MAX_ENTRIES = 50;
const MAX_VALUES = 50;
const MAX_LENGTH = 25;
const LOOKBACK_WINDOW = '_lookback_window';
// Longer than any clock runs, and a safe integer in milliseconds.
const MAX_SECONDS = 2 ** 42;

interface FilterRules {
  readonly maxEntries: number;
  readonly maxValues: number;
  readonly maxLength: number;
}

/** ARA, "parse filter data": the `filter_data` of a source. `source_type` is implied and may not be given. */
export const filterData: Parser<FilterMap> = (place) => {
  const fields = new Fields(place);
  if (fields.has('source_type')) place.at('source_type', null).error('implied-field');
  return filterValues(place, fields, {
    maxEntries: MAX_ENTRIES,
    maxValues: MAX_VALUES,
    maxLength: MAX_LENGTH,
  });
};

/** ARA, "parse a filter pair": `filters` and `not_filters` of a trigger's object. */
export function filterPair(fields: Fields): FilterPair {
  return {
    filters: fields.optional('filters', filters, []),
    notFilters: fields.optional('not_filters', filters, []),
  };
}

/** ARA, "parse filters": one filter config, or a list of which one must match. */
const filters: Parser<readonly FilterConfig[]> = (place) =>
  Array.isArray(place.value) ? list(filterConfig)(place) : [filterConfig(place)];

const filterConfig: Parser<FilterConfig> = (place) => {
  const fields = new Fields(place);
  const lookbackWindow = fields.optional<Duration | null>(
    LOOKBACK_WINDOW,
    (at) => seconds(Math.min(integer(1, Infinity)(at), MAX_SECONDS)),
    null,
  );
  const unlimited = { maxEntries: Infinity, maxValues: Infinity, maxLength: Infinity };
  return { values: filterValues(place, fields, unlimited), lookbackWindow };
};

/** ARA, "parse filter values". Values form a set, so repeating one is allowed. */
function filterValues(place: Place, fields: Fields, rules: FilterRules): FilterMap {
  const keys = [...fields.names()].filter((key) => key !== LOOKBACK_WINDOW || rules.maxEntries !== Infinity);
  if (keys.length > rules.maxEntries) {
    place.error('too-many-keys', { max: rules.maxEntries, count: keys.length });
  }
  return new Map(keys.map((key) => [key, fields.optional(key, valuesOf(key, rules), [])]));
}

const valuesOf =
  (key: string, rules: FilterRules): Parser<readonly string[]> =>
  (place) => {
    if (key.startsWith('_')) place.error('reserved-key');
    if (utf8Length(key) > rules.maxLength) {
      place.error('long-key', { max: rules.maxLength, key: shown(key) });
    }
    const values = set(shortText(rules.maxLength))(place);
    if (key === 'source_type' && values.some((value) => value !== 'navigation' && value !== 'event'))
      place.warn('unknown-source-type');
    if (values.length > rules.maxValues) {
      place.error('too-many-values', { max: rules.maxValues, count: values.length });
    }
    return values;
  };
