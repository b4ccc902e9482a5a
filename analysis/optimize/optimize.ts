import { chromiumLimits, type SourceType } from '../../src/model/limits';
import type { Loss } from '../../src/privacy/bin-loss';
import { channelCapacity, largestEpsilonWithin } from '../../src/privacy/channel-capacity';
import { epsilonParameter, unexpected } from '../../src/privacy/parameters';
import { randomizedTriggerRate } from '../../src/privacy/randomized-response';
import type { Exact, Rational } from '../../src/privacy/rational';
import { statesByReports } from './report-counts';
import { bestSummaryBuckets, bucketTruths } from './summary-buckets';
import { totalError, type TotalError } from './total-error';
import type { ValueDistribution } from './value-distribution';

/** What is asked for. */
export interface OptimizeRequest {
  readonly distribution: ValueDistribution;
  /** See `settableEpsilon`. */
  readonly epsilon: Rational;
  readonly sourceType: SourceType;
  readonly loss: Loss;
  /** From 1 on. */
  readonly maxBuckets: number;
  /** `max_event_level_reports`, at least `maxBuckets`; null for as many as there are buckets. */
  readonly maxReports: number | null;
  /** How many trigger data share the spec. The values are those of one of them; the others only add states. */
  readonly triggerData: number;
  /** When the report windows end, in seconds after the source. */
  readonly windowEnds: readonly number[];
  /** Over how many sources a total is estimated. */
  readonly sources: number;
}

/** The best configuration with one number of buckets, and what it costs. */
export interface Configuration {
  readonly maxReports: number;
  /** Where the summary buckets begin; without the one from 0 on, which makes no report. */
  readonly summaryBuckets: readonly number[];
  /** What to take one source's value for, by its number of reports. */
  readonly outputs: readonly number[];
  /** The mean true value, by the number of reports: what the estimate of a total multiplies counts with. */
  readonly means: readonly number[];
  readonly states: bigint;
  readonly randomizedTriggerRate: number;
  /** In bits. */
  readonly channelCapacity: number;
  /** Whether Chrome's limits on states and capacity accept it. */
  readonly fits: boolean;
  /** The largest ε at which the capacity does. */
  readonly largestEpsilon: number;
  /** For one source, of taking its value for `outputs`; of that, what there would be without noise, and the rest. */
  readonly expectedLoss: number;
  readonly discretisationLoss: number;
  readonly noiseLoss: number;
  readonly total: TotalError;
}

export interface OptimizeResult {
  /** For 1, 2, … summary buckets, at most as many as there are positive values. */
  readonly configurations: readonly Configuration[];
  /** The one of those that fit which has the least expected loss, then the fewest buckets; null if none fits. */
  readonly best: Configuration | null;
}

/**
 * The best summary buckets for each number of them, and what the noise over the resulting report space costs.
 */
export function optimize(request: OptimizeRequest): OptimizeResult {
  const most = Math.min(request.maxBuckets, request.distribution.values.length - 1);
  const configurations = Array.from({ length: most }, (_, index) => configure(request, index + 1));
  let best: Configuration | null = null;
  for (const configuration of configurations)
    if (configuration.fits && (best === null || configuration.expectedLoss < best.expectedLoss))
      best = configuration;
  return { configurations, best };
}

/**
 * @throws ParameterError unless ε is greater than 0 and at most 14, the largest that a registration may set.
 */
export function settableEpsilon(value: Exact): Rational {
  const epsilon = epsilonParameter(value);
  if (epsilon.toNumber() > chromiumLimits.maxSettableEpsilon)
    throw unexpected('epsilon', value, 'positive-up-to', { max: chromiumLimits.maxSettableEpsilon });
  return epsilon;
}

function configure(request: OptimizeRequest, buckets: number): Configuration {
  const { distribution, loss, sourceType } = request;
  const maxReports = request.maxReports ?? buckets;
  const windows = request.windowEnds.length;
  const counts = statesByReports({ triggerData: request.triggerData, windows, buckets, maxReports });
  const noise = { epsilon: request.epsilon, statesByReports: counts };
  const choice = bestSummaryBuckets(distribution, loss, noise);
  const truths = bucketTruths(distribution, loss, choice.buckets);
  const discretisationLoss = truths.reduce((sum, truth) => sum + truth.loss, 0);

  const epsilon = request.epsilon.toNumber();
  const states = counts.reduce((sum, count) => sum + count, 0n);
  const capacity = channelCapacity(states, epsilon);
  const maxCapacity = chromiumLimits.maxChannelCapacity[sourceType];
  return {
    maxReports,
    summaryBuckets: choice.buckets.slice(1).map(({ start }) => start),
    outputs: choice.buckets.map(({ output }) => output),
    means: truths.map(({ mean }) => mean),
    states,
    randomizedTriggerRate: randomizedTriggerRate(states, epsilon),
    channelCapacity: capacity,
    fits: capacity <= maxCapacity && states <= chromiumLimits.maxTriggerStateCardinality,
    largestEpsilon: largestEpsilonWithin(maxCapacity, states, chromiumLimits.maxSettableEpsilon),
    expectedLoss: choice.expectedLoss,
    discretisationLoss,
    // Never below 0 but for the last digits of the difference.
    noiseLoss: Math.max(0, choice.expectedLoss - discretisationLoss),
    total: totalError(truths, counts, epsilon, request.sources),
  };
}
