import type { FilterConfig, FilterPair } from '../model/registration';
import type { Source } from '../model/records';
import { between, type Moment } from '../model/units';

type Filtered = Pick<Source, 'sourceType' | 'registration'>;

/** Of the source's filter data with the implied `source_type` (ARA, "process an attribution source"). */
export const filterValues = (
  { sourceType, registration }: Filtered,
  key: string,
): readonly string[] | undefined => (key === 'source_type' ? [sourceType] : registration.filterData.get(key));

/** ARA, "match an attribution source against filters and negated filters". */
export function matchesFilters(source: Source, { filters, notFilters }: FilterPair, time: Moment): boolean {
  return matchesAny(source, filters, time, false) && matchesAny(source, notFilters, time, true);
}

const matchesAny = (
  source: Source,
  configs: readonly FilterConfig[],
  time: Moment,
  negated: boolean,
): boolean => configs.length === 0 || configs.some((config) => matchesConfig(source, config, time, negated));

/** ARA, "match an attribution source against a filter config". */
function matchesConfig(source: Source, config: FilterConfig, time: Moment, negated: boolean): boolean {
  if (config.lookbackWindow !== null) {
    const within = between(source.time, time) <= config.lookbackWindow;
    if (within === negated) return false;
  }
  return [...config.values].every(([key, wanted]) => {
    const values = filterValues(source, key);
    return values === undefined || matchesValues(values, wanted) !== negated;
  });
}

/** ARA, "match filter values": two empty lists match; otherwise one common value is enough. */
const matchesValues = (values: readonly string[], wanted: readonly string[]): boolean =>
  wanted.length === 0 ? values.length === 0 : values.some((value) => wanted.includes(value));
