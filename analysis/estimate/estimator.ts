import type { Quantity } from './quantities';
import type { Estimate, EstimateOptions, Tally } from './response-estimate';
import type { Shortfall } from './shortfall';

/** What can be estimated of the sources of one configuration, from how many of them gave each output. */
export interface Estimator {
  /** How many outputs there are. */
  readonly outputs: bigint;
  /** p for mechanisms that replace an output by a uniformly random one; null for others. */
  readonly replaceProbability: number | null;
  /** What has an estimate without bias. */
  readonly quantities: readonly Quantity[];
  /** What has none, because the mechanism hides it. */
  readonly hidden: readonly Quantity[];
  /** Whether sources report values, one each, in place of the reports of a state. */
  readonly valued: boolean;
  /** The number of the output that a reported value is; null if it is none. */
  outputOf(value: number): string | null;
  /** Whether sources can have this output, a state's number or that of a value. */
  isOutput(output: string): boolean;
  /** Whether fewer sources have reports than noise alone gives; null, too, for values, of which each source has one or is missing. */
  shortfall(tally: Tally): Shortfall | null;
  /** The quantity that counts the sources with one output; null when `quantities` has them all, or they cannot be counted. */
  readonly single: ((output: string) => Quantity) | null;
  /** @throws RangeError for a quantity that has no estimate without bias. */
  estimate(quantity: Quantity, tally: Tally, options: EstimateOptions): Estimate;
}
