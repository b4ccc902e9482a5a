import type { RandomSource } from '../../src/privacy/random-source';
import {
  exactFrequencies,
  laplaceFrequencies,
  sketchFrequencies,
  type Frequency,
  type FrequencyEstimate,
  type ReachOptions,
} from './estimators';
import { flippedReach } from './flipped-sketches';
import type { Slice } from './impressions';
import type { ReachMethod } from './methods';

/** One number about the people of a slice: all of them, those with exactly or those with at least so many impressions. */
export interface ReachRow extends Frequency {
  readonly group: readonly string[];
  readonly quantity: 'reach' | 'frequency' | 'at-least';
  /** Null for reach. */
  readonly impressions: number | null;
}

/**
 * Estimates reach and, unless only one impression of each person counts, how many people had how many impressions.
 * @throws ParameterError for parameters out of range.
 */
export function reachRows(
  by: ReachMethod,
  slices: readonly Slice[],
  options: ReachOptions,
  random: RandomSource,
): readonly ReachRow[] {
  const estimate = estimatorOf(by, options);
  const most = by === 'flipped-sketch' ? 1 : options.most;
  return slices.flatMap((slice) => {
    const frequency = estimate(slice, random);
    const row = (
      quantity: ReachRow['quantity'],
      impressions: number | null,
      from: number,
      to: number,
    ): ReachRow => ({ group: slice.group, quantity, impressions, ...frequency(from, to) });
    const numbers = Array.from({ length: most }, (_, index) => index + 1);
    return [
      row('reach', null, 1, most),
      ...numbers.slice(0, -1).map((number) => row('frequency', number, number, number)),
      ...numbers.slice(1).map((number) => row('at-least', number, number, most)),
    ];
  });
}

function estimatorOf(
  by: ReachMethod,
  options: ReachOptions,
): (slice: Slice, random: RandomSource) => FrequencyEstimate {
  switch (by) {
    case 'exact':
      return (slice) => exactFrequencies(slice, options.most);
    case 'discrete-laplace':
      return laplaceFrequencies(options);
    case 'sketch':
      return sketchFrequencies(options);
    case 'flipped-sketch': {
      const reach = flippedReach(options);
      return (slice, random) => {
        const found = reach(slice, random);
        return () => ({ ...found, share: null });
      };
    }
  }
}
