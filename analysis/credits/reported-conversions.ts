import { estimatorOf } from '../estimate/unbiased/estimator-of';
import { isHeartbeat } from '../estimate/unbiased/heartbeats';
import { mergeConfigurations, sourcesOf, type CountedConfiguration } from '../estimate/unbiased/tally';
import type { Credit } from './learned-shapley';

export interface ReportedConversions {
  /** By the JSON of a journey's channels, and by the channel of the source. */
  readonly journeys: ReadonlyMap<string, Credit>;
  readonly channels: ReadonlyMap<string, Credit>;
  /** Sources whose noise has no unbiased estimate of conversions. */
  readonly notEstimable: number;
}

/** Only the variance of estimates is used here, not their intervals. */
const OPTIONS = { level: 0.95, randomness: 'noise' } as const;

/** Estimates conversions from the outputs of sources, counted by the channels of their journey and their own. */
export function reportedConversions(outputs: readonly CountedConfiguration[]): ReportedConversions {
  const journeys = new Map<string, Credit>();
  const channels = new Map<string, Credit>();
  let notEstimable = 0;
  for (const { configuration, groups } of mergeConfigurations(outputs)) {
    if (isHeartbeat(configuration)) continue;
    const estimator = estimatorOf(configuration);
    const quantity = estimator.quantities.find(({ kind }) => kind === 'conversions');
    for (const { group, tally } of groups) {
      if (quantity === undefined) {
        notEstimable += sourcesOf(tally);
        continue;
      }
      const [journey = '', channel = ''] = group;
      const { estimate, variance } = estimator.estimate(quantity, tally, OPTIONS);
      add(journeys, journey, { credit: estimate, variance });
      add(channels, channel, { credit: estimate, variance });
    }
  }
  return { journeys, channels, notEstimable };
}

/** The noise of different sources is independent. */
function add(sums: Map<string, Credit>, key: string, { credit, variance }: Credit): void {
  const known = sums.get(key) ?? NOTHING;
  sums.set(key, { credit: known.credit + credit, variance: known.variance + variance });
}

export const NOTHING: Credit = { credit: 0, variance: 0 };
