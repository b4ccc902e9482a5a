import type { EdgeWeights, Matching } from '../../../analysis/matching/graph';
import type { RandomSource } from '../../../src/privacy/random-source';
import type { MatchingDistribution } from './greedy-distribution';
import { asNumber } from './mechanisms';

/** "0-1 2-0": click 0 with conversion 1, click 2 with conversion 0. */
export const written = (matching: Matching): string =>
  matching.map(({ click, conversion }) => `${click}-${conversion}`).join(' ');

export const weightOf = (weights: EdgeWeights, matching: Matching): number =>
  matching.reduce((sum, { click, conversion }) => sum + Number(weights[click]?.[conversion]), 0);

/** Every matching: each click gets one of the remaining conversions, or none. */
export const everyMatching = (weights: EdgeWeights, click = 0, taken: readonly number[] = []): Matching[] => {
  const row = weights[click];
  if (row === undefined) return [[]];
  const without = everyMatching(weights, click + 1, taken);
  const having = row.flatMap((weight, conversion) =>
    weight === null || taken.includes(conversion)
      ? []
      : everyMatching(weights, click + 1, [...taken, conversion]).map((rest) => [
          { click, conversion },
          ...rest,
        ]),
  );
  return [...without, ...having];
};

/** The greatest weight, by brute force. */
export const bestWeight = (weights: EdgeWeights): number =>
  Math.max(...everyMatching(weights).map((matching) => weightOf(weights, matching)));

/** Weights in eighths, from `least` to `range`/8 more; one in `missing` is absent. */
export function randomWeights(
  draw: (below: number) => number,
  clicks: number,
  conversions: number,
  { least = -1, range = 32, missing = 6 } = {},
): (number | null)[][] {
  const weights: (number | null)[][] = Array.from({ length: clicks }, () =>
    Array.from({ length: conversions }, () =>
      missing > 0 && draw(missing) === 0 ? null : least + draw(range) / 8,
    ),
  );
  // At least one edge.
  if (weights.flat().every((weight) => weight === null)) weights[0] = Array<number>(conversions).fill(1);
  return weights;
}

/** The probability of each matching, by its `written` form. */
export const chances = ({ matchings, probabilities }: MatchingDistribution): Map<string, number> =>
  new Map(
    matchings.map((matching, index) => {
      const probability = probabilities[index];
      return [written(matching), probability === undefined ? NaN : asNumber(probability)];
    }),
  );

/** A mechanism's draws as indices into these matchings; −1 for any other. */
export function indices(
  matchings: readonly Matching[],
  draw: (random: RandomSource) => Matching,
): (random: RandomSource) => number {
  const index = new Map(matchings.map((matching, place) => [written(matching), place]));
  return (random) => index.get(written(draw(random))) ?? -1;
}
