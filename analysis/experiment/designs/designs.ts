import type { OneApi } from '../api';
import type { Levels } from '../group-sums';
import type { LoggedSource } from '../logged-sources';
import type { SummaryDesign } from './design';
import { Histogram } from './histogram';
import { LabelSums } from './label-sums';
import { Proportions } from './proportions';

export type SummaryApi = Exclude<
  OneApi,
  { readonly kind: 'event-level' | 'w3c' | 'attribution-sets' | 'synthetic-journeys' }
>;

const OTHERS: readonly OneApi['kind'][] = ['event-level', 'w3c', 'attribution-sets', 'synthetic-journeys'];

export const isSummary = (api: OneApi): api is SummaryApi => !OTHERS.includes(api.kind);

/**
 * @param sources of the log.
 * @param share of the people who have this API.
 */
export function designOf(
  api: SummaryApi,
  levels: Levels,
  sources: readonly LoggedSource[],
  share: number,
): SummaryDesign {
  switch (api.kind) {
    case 'summary':
      return new Histogram(levels, sources);
    case 'label-sums':
      return new LabelSums(levels, sources);
    case 'proportions':
      // Only these people's sources are put into bags.
      return new Proportions(levels, sources, api.size / share);
  }
}
