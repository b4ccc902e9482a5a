import { described, integer, type Codec } from '../../../formats/codec/codec';
import { withDefault } from '../../../formats/codec/record';
import { CONTRIBUTION_BUDGET } from '../../../src/model/aggregatable';
import type { RandomSource } from '../../../src/privacy/random-source';
import type { BucketNoise, Levels } from '../group-sums';
import type { LoggedSource } from '../logged-sources';
import type { GroupResult } from '../result';

/** More of a source would contribute nothing. */
export const conversionsField = withDefault(
  'conversions',
  described(
    integer(1, CONTRIBUTION_BUDGET),
    'How many conversions share the contribution budget of a source, or ε of a conversion site and epoch',
  ),
  1,
);

/** An API to compare that adds up summary reports. */
export interface SummaryContender<Api extends { readonly conversions: number }> {
  /** Its kind and options in an experiment. */
  readonly codec: Codec<Api>;
  /**
   * @param sources of the log.
   * @param share of the people who have this API.
   */
  readonly designOf: (
    api: Api,
    levels: Levels,
    sources: readonly LoggedSource[],
    share: number,
  ) => SummaryDesign;
  /** Why it cannot measure so many levels; null if it can. */
  readonly problem?: (api: Api, levels: number) => string | null;
}

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
