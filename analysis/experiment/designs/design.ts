import type { RandomSource } from '../../../src/privacy/random-source';
import type { BucketNoise } from '../group-sums';
import type { GroupResult } from '../result';

/** Which buckets conversions add to, and what the noisy sums say about groups of sources. */
export interface SummaryDesign {
  /** How many buckets each conversion adds to. They share its value. */
  readonly keys: number;
  /**
   * The numbers of the buckets of a source, from 0 on.
   * @param group by all columns
   * @param random the person's own
   */
  keysOf(reportingOrigin: string, group: readonly string[], random: RandomSource): readonly number[];
  add(reportingOrigin: string, key: number, value: number): void;
  /**
   * @param unit what one conversion, or a value of 1, adds to a bucket.
   * @param noise null for none.
   */
  results(unit: number, noise: BucketNoise | null): readonly GroupResult[];
}
