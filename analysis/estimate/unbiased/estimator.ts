import type { Probability } from '../../../src/model/units';
import type { LostFit, LostReports } from './lost-reports';
import type { Measure } from '../quantities/measure';
import type { Aspect } from './mismatch';
import type { Quantity } from '../quantities/quantities';
import type { Estimate, EstimateOptions, OutputCounts } from './response-estimate';
import type { ResponseModel } from '../quantities/response-model';
import type { Shortfall } from './shortfall';

/** What the likelihood estimates: the sums of these measures over the truths. */
export interface ResponseLikelihood {
  readonly response: ResponseModel;
  readonly measures: readonly Measure[];
}

/** Estimates totals of one configuration from how many sources gave each output. */
export interface Estimator {
  /** The number of outputs. */
  readonly outputs: bigint;
  /** The probability that a uniformly random output replaces the true one; null for other mechanisms. */
  readonly replaceProbability: Probability | null;
  /** The quantities with an unbiased estimate. */
  readonly quantities: readonly Quantity[];
  /** The quantities that the mechanism hides, so they have no unbiased estimate. */
  readonly hidden: readonly Quantity[];
  /** Whether each source reports one value instead of the reports of a state. */
  readonly valued: boolean;
  /** The output number for a reported value; null if it is not an output. */
  outputOf(value: number): string | null;
  /** Whether the mechanism can give this output: the number of a state or of a value. */
  isOutput(output: string): boolean;
  /** Whether fewer sources have reports than noise alone gives. Null for values: a source without its value counts as missing. */
  shortfall(tally: OutputCounts): Shortfall | null;
  /** What noise alone gives at least, to test whether outputs can come from it. */
  readonly aspects: readonly Aspect[];
  /** Which rates of lost reports the numbers of reports allow; null if they say nothing about it. */
  lostReports?(tally: OutputCounts, level: number): LostFit;
  /** Whether the numbers of reports in these groups can come from such losses. @param tests how many groups are tested in all, by default these. */
  allowLosses?(groups: readonly OutputCounts[], lost: LostReports, tests?: number): boolean;
  /** The quantity that counts the sources with one output; null when `quantities` contains them all, or when they cannot be counted. */
  readonly single: ((output: string) => Quantity) | null;
  /** For estimates of `quantities` by maximum likelihood; null for mechanisms that are not randomized response. */
  readonly likelihood: ResponseLikelihood | null;
  /** @throws RangeError for a quantity without an unbiased estimate. */
  estimate(quantity: Quantity, tally: OutputCounts, options: EstimateOptions): Estimate;
}
