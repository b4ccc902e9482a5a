import { discreteLaplace } from '../noise/discrete-laplace';
import { weightedIndex } from '../../src/privacy/finite-distribution';
import { positive } from '../../src/privacy/parameters';
import type { RandomSource } from '../../src/privacy/random-source';
import { Rational, type Exact } from '../../src/privacy/rational';
import { exponentialOfMinus, rationalBounds } from '../../src/privacy/real-bounds';

/**
 * The place of the greatest sum, by the exponential mechanism (McSherry & Talwar 2007): each with a probability proportional to e^(ε·s/2Δ).
 * @param sums at least one; neighbours differ in each by Δ at most.
 * @throws ParameterError unless ε is greater than 0.
 */
export function largestSum(
  sums: readonly bigint[],
  sensitivity: bigint,
  epsilon: Exact,
): (random: RandomSource) => number {
  const factor = positive('epsilon', epsilon).over(Rational.of(2n * sensitivity));
  const best = sums.reduce((a, b) => (a > b ? a : b));
  return weightedIndex(
    sums.map((sum) => exponentialOfMinus(rationalBounds(Rational.of(best - sum).times(factor)))),
  );
}

/**
 * The place of the first sum that reaches a threshold, or null (the sparse vector technique with one answer: Dwork & Roth 2014, algorithm 1; Lyu, Su
 * & Li 2017). Half of ε is for noise on the threshold, of scale 2Δ/ε, and half for noise on each sum, of scale 4Δ/ε. It costs ε however many sums
 * are below the threshold.
 * @param sums neighbours differ in each by Δ at most.
 * @throws ParameterError unless ε is greater than 0.
 */
export function firstAbove(
  sums: readonly bigint[],
  threshold: bigint,
  sensitivity: bigint,
  epsilon: Exact,
): (random: RandomSource) => number | null {
  const exact = positive('epsilon', epsilon);
  const scaled = (times: bigint): ((random: RandomSource) => bigint) =>
    discreteLaplace(Rational.of(times * sensitivity).over(exact));
  const [ofThreshold, ofSum] = [scaled(2n), scaled(4n)];
  return (random) => {
    const limit = threshold + ofThreshold(random);
    const found = sums.findIndex((sum) => sum + ofSum(random) >= limit);
    return found < 0 ? null : found;
  };
}
