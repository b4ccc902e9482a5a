import type { Estimated } from '../../../analysis/estimate/result/campaigns';
import type { EstimateResultJson } from '../../../analysis/estimate/result/estimate-result';
import type { EstimateJson } from '../../../analysis/estimate/result/group-result';
import type { Answers } from './answers';
import { estimateOf } from './quantities';

/** A row of the table of groups. */
export interface GroupRow {
  /** Null for reports whose source is not in the log. */
  readonly group: string | null;
  readonly sources: number;
  readonly reports: number;
  /** Null while no complete source can be used for an estimate. */
  readonly conversions: Conversions | null;
}

export interface Conversions {
  readonly counted: number;
  readonly noise: number;
  /** Null while no interval holds: the reports do not fit the noise, for example. Without a value if the interval has every possible number. */
  readonly estimate: Estimated | null;
}

/** A group has conversions here only if all of its sources count them. */
export function rowsOf(
  { groups }: Answers['statistics'],
  { totals }: EstimateResultJson,
): readonly GroupRow[] {
  const known = new Map<string, Conversions>();
  for (const total of totals) {
    const [value] = Object.values(total.group);
    const found = estimateOf(total, 'conversions');
    if (value === undefined || found === null || total.covered < total.sources) continue;
    const { observed, noise } = found;
    known.set(value, { counted: observed ?? 0, noise: noise ?? 0, estimate: estimatedIn(found) });
  }
  return groups.map((row) => ({
    ...row,
    conversions: (row.group === null ? undefined : known.get(row.group)) ?? null,
  }));
}

const estimatedIn = ({ estimate, interval: [low, high] }: EstimateJson): Estimated | null =>
  low === null || high === null ? null : { value: estimate ?? NaN, low, high };
