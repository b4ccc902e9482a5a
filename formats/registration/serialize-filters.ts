import type { Json, JsonObject } from '../../src/model/json';
import type { FilterConfig, FilterPair } from '../../src/model/registration';
import type { Duration } from '../../src/model/units';

export const inSeconds = (duration: Duration): number => duration / 1000;

export const serializeFilterPair = ({ filters, notFilters }: FilterPair): JsonObject => ({
  filters: filters.map(serializeFilterConfig),
  not_filters: notFilters.map(serializeFilterConfig),
});

const serializeFilterConfig = ({ values, lookbackWindow }: FilterConfig): Json => ({
  ...Object.fromEntries(values),
  ...(lookbackWindow === null ? {} : { _lookback_window: inSeconds(lookbackWindow) }),
});
