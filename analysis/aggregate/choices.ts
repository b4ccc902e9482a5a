import { discreteLaplace } from '../noise/discrete-laplace';
import { weightedIndex } from '../../src/privacy/finite-distribution';
import { positive, unexpected } from '../../src/privacy/parameters';
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

/**
 * The place of the greatest sum if no neighbour has another one, or null (propose-test-release: Dwork & Lei 2009; Thakurta & Smith 2013). The
 * lead over the second greatest plus noise of scale Δ/ε must reach a limit that a lead of Δ reaches with a probability of at most δ. Where a
 * neighbour has another greatest sum, both leads are at most Δ. So the answer is (ε, δ)-private: with probability δ it comes although a neighbour has
 * another one. It is always the greatest sum.
 * @param sums at least one; neighbours differ by Δ at most in all of them together. Of equal ones, the first counts as the greatest.
 * @param delta greater than 0 and less than 1
 * @throws ParameterError unless ε is greater than 0, and so large that a double holds the scale of the noise.
 */
export function surelyLargest(
  sums: readonly bigint[],
  sensitivity: bigint,
  epsilon: Exact,
  delta: number,
): (random: RandomSource) => number | null {
  const exact = positive('epsilon', epsilon);
  const scale = Rational.of(sensitivity).over(exact);
  if (!Number.isFinite(scale.toNumber() * Math.log(delta)))
    throw unexpected('epsilon', epsilon, 'finite-variance');
  const noise = discreteLaplace(scale);
  const limit = sensitivity + leastRare(scale.toNumber(), delta);
  const best = sums.reduce((a, b) => (a > b ? a : b));
  const place = sums.indexOf(best);
  const second = sums.reduce<bigint | null>(
    (most, sum, index) => (index === place || (most !== null && most >= sum) ? most : sum),
    null,
  );
  // The only one there is, is the greatest in each neighbour.
  if (second === null) return () => place;
  return (random) => (best - second + noise(random) >= limit ? place : null);
}

/** The least k with P(Z ≥ k) ≤ δ, or one more, for the rounding of doubles: P(Z ≥ k) = p^k/(1 + p) for k ≥ 1, with p = e^(−1/scale). */
export const leastRare = (scale: number, delta: number): bigint =>
  BigInt(Math.max(0, Math.ceil(-scale * (Math.log(delta) + Math.log1p(Math.exp(-1 / scale))))) + 1);
