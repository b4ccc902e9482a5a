import type { ConfigurationJson } from '../../../analysis/estimate/result/estimate-result';
import type { EstimateJson, GroupJson } from '../../../analysis/estimate/result/group-result';
import type { ShownQuantity } from './address';

/** The total of a configuration's conversions, best first. Mechanisms on values only have sums and counts of values. */
const overall = ['conversions', 'label-sum', 'binned-sum'] as const;

/** The estimate that the page shows for a group: the requested one, or its substitute for the group's mechanism. */
export const shownEstimate = ({ estimates }: GroupJson, wanted: ShownQuantity): EstimateJson | null =>
  [wanted, ...overall].flatMap((kind) => estimates.find(({ quantity }) => quantity === kind) ?? [])[0] ??
  null;

export const estimateOf = ({ estimates }: GroupJson, kind: string): EstimateJson | null =>
  estimates.find(({ quantity }) => quantity === kind) ?? null;

/** The estimate over all sources of a configuration comes before those of its groups. */
export const allOf = ({ groups }: ConfigurationJson): GroupJson | null => groups[0] ?? null;
