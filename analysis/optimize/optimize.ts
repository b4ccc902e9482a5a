import { chromiumLimits, type SourceType } from '../../src/model/limits';
import { epsilon as epsilonOf, type Epsilon, type Probability } from '../../src/model/units';
import type { Loss } from '../../src/privacy/bin-loss';
import { channelCapacity, largestEpsilonWithin } from '../../src/privacy/channel-capacity';
import { epsilonParameter, unexpected } from '../../src/privacy/parameters';
import { randomizedTriggerRate } from '../../src/privacy/randomized-response';
import type { Exact, Rational } from '../../src/privacy/rational';
import { statesByReports } from './report-counts';
import { bestForValue, bucketsOf, bucketTruths } from './summary-buckets';
import { bestForTotal } from './total-buckets';
import { totalError, type TotalError } from './total-error';
import type { ValueDistribution } from './value-distribution';

/** What is kept small: the expected loss of one source's value, or the error of a total over many sources. */
export type Goal = 'value' | 'total';

/** For what values, noise and limits to find summary buckets. */
export interface OptimizeRequest {
  /** How probable each value of a source is: see `givenDistribution`. */
  readonly distribution: ValueDistribution;
  /** See `settableEpsilon`. */
  readonly epsilon: Rational;
  readonly sourceType: SourceType;
  readonly goal: Goal;
  /** The loss function of one source's value. */
  readonly loss: Loss;
  /** At least 1. */
  readonly maxBuckets: number;
  /** `max_event_level_reports`, at least `maxBuckets`; null: the number of buckets. */
  readonly maxReports: number | null;
  /** How many trigger data share the spec. The values are those of one of them; the others only add states. */
  readonly triggerData: number;
  /** In seconds after the source. */
  readonly windowEnds: readonly number[];
  /** The number of sources in an estimated total. */
  readonly sources: number;
}

/** The best configuration with one number of buckets, and its cost. */
export interface CandidateConfiguration {
  readonly maxReports: number;
  /** The starts of the summary buckets, without the one at 0, which makes no report. */
  readonly summaryBuckets: readonly number[];
  /** The value to assume for a source, by its number of reports. */
  readonly outputs: readonly number[];
  /** The mean true value, by number of reports: the factor of each count in the estimate of a total. */
  readonly means: readonly number[];
  readonly states: bigint;
  readonly randomizedTriggerRate: Probability;
  /** In bits. */
  readonly channelCapacity: number;
  /** Whether it is within Chrome's limits on states and capacity. */
  readonly fits: boolean;
  /** The largest ε whose capacity is within the limit. */
  readonly largestEpsilon: Epsilon;
  /** The expected loss of assuming `outputs` for one source, beyond that of its exact value: in total, without noise, and due to noise. */
  readonly expectedLoss: number;
  readonly discretisationLoss: number;
  readonly noiseLoss: number;
  readonly total: TotalError;
  /** What the goal keeps small: that expected loss, or the variance of the total. Due to too few buckets, and due to noise. */
  readonly cost: { readonly buckets: number; readonly noise: number };
}

/** The best summary buckets, and what they cost. */
export interface OptimizeResult {
  /** For 1, 2, … summary buckets, at most the number of positive values. */
  readonly configurations: readonly CandidateConfiguration[];
  /** The fitting one with the least cost, then the fewest buckets; null if none fits. */
  readonly best: CandidateConfiguration | null;
}

export const wholeCost = ({ cost }: CandidateConfiguration): number => cost.buckets + cost.noise;

/** Finds the best summary buckets for each number of them, and the cost of the noise over the resulting report space. */
export function optimize(request: OptimizeRequest): OptimizeResult {
  const most = Math.min(request.maxBuckets, request.distribution.values.length - 1);
  const configurations = Array.from({ length: most }, (_, index) => configure(request, index + 1));
  let best: CandidateConfiguration | null = null;
  for (const configuration of configurations)
    if (configuration.fits && (best === null || wholeCost(configuration) < wholeCost(best)))
      best = configuration;
  return { configurations, best };
}

/** @throws ParameterError unless 0 < ε ≤ 14, the largest that a registration may set. */
export function settableEpsilon(value: Exact): Rational {
  const epsilon = epsilonParameter(value);
  if (epsilon.toNumber() > chromiumLimits.maxSettableEpsilon)
    throw unexpected('epsilon', value, 'positive-up-to', { max: chromiumLimits.maxSettableEpsilon });
  return epsilon;
}

function configure(request: OptimizeRequest, buckets: number): CandidateConfiguration {
  const { distribution, goal, loss, sourceType } = request;
  const maxReports = request.maxReports ?? buckets;
  const windows = request.windowEnds.length;
  const counts = statesByReports({ triggerData: request.triggerData, windows, buckets, maxReports });
  const noise = { epsilon: request.epsilon, statesByReports: counts };
  const ranges =
    goal === 'total' ? bestForTotal(distribution, noise) : bestForValue(distribution, loss, noise);
  const choice = bucketsOf(distribution, ranges, loss, noise);
  const truths = bucketTruths(distribution, loss, ranges);
  const discretisationLoss = truths.reduce((sum, truth) => sum + truth.loss, 0);
  // Rounding can make the difference slightly negative.
  const noiseLoss = Math.max(0, choice.expectedLoss - discretisationLoss);

  const epsilon = epsilonOf(request.epsilon.toNumber());
  const states = counts.reduce((sum, count) => sum + count, 0n);
  const capacity = channelCapacity(states, epsilon);
  const total = totalError(truths, counts, epsilon, request.sources);
  const variance = total.standardDeviation ** 2;
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
    noiseLoss,
    total,
    cost:
      goal === 'total'
        ? { buckets: variance * (1 - total.noiseShare), noise: variance * total.noiseShare }
        : { buckets: discretisationLoss, noise: noiseLoss },
  };
}
