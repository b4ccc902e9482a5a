import type { Interval } from '../../../analysis/estimate/intervals/interval';

/** P[X = x] of a binomial number, for each x. */
export function binomialProbabilities(trials: number, chance: number): readonly number[] {
  let shares = [1];
  for (let trial = 0; trial < trials; trial++)
    shares = [...shares, 0].map((own, index) => own * (1 - chance) + (shares[index - 1] ?? 0) * chance);
  return shares;
}

/**
 * The probability, for each true count t of n, that the interval of the observed count holds it. What is observed is Bin(t, stays) +
 * Bin(n − t, arises).
 * @param intervals for each observed count from 0 to n
 */
export const exactCoverage = (
  intervals: readonly Interval[],
  { stays, arises }: { readonly stays: number; readonly arises: number },
): readonly number[] =>
  intervals.map((_, truth) => {
    let held = 0;
    const others = binomialProbabilities(intervals.length - 1 - truth, arises);
    binomialProbabilities(truth, stays).forEach((own, kept) =>
      others.forEach((other, added) => {
        const [low, high] = intervals[kept + added] ?? [NaN, NaN];
        if (low - 1e-9 <= truth && truth <= high + 1e-9) held += own * other;
      }),
    );
    return held;
  });
