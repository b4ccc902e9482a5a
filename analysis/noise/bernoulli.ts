import { bernoulli } from '../../src/privacy/bernoulli';
import type { RandomSource } from '../../src/privacy/random-source';
import { Rational } from '../../src/privacy/rational';
import { exponentialOfMinus, rationalBounds } from '../../src/privacy/real-bounds';
import { uniformBelow } from '../../src/privacy/uniform';

export const INVERSE_E = exponentialOfMinus(rationalBounds(Rational.ONE));

/** True with probability exactly p (Canonne, Kamath & Steinke 2020, section 5.1). @throws RangeError unless p is in [0, 1]. */
export function bernoulliRational(random: RandomSource, p: Rational): boolean {
  if (p.sign < 0n || p.compare(Rational.ONE) > 0n)
    throw new RangeError(`a probability must be from 0 to 1, was ${p.toString()}`);
  return uniformBelow(random, p.denominator) < p.numerator;
}

/**
 * True with probability exactly e^−x (Canonne, Kamath & Steinke 2020, algorithm 1). Each whole unit of x takes one draw with e^−1, up
 * to the first failure: fewer than two on average. That draw compares a word with bounds: the paper's distribution, but faster.
 * @throws RangeError if x is negative.
 */
export function bernoulliExp(random: RandomSource, x: Rational): boolean {
  if (x.sign < 0n) throw new RangeError(`x must be at least 0, was ${x.toString()}`);
  const whole = x.numerator / x.denominator;
  for (let unit = 0n; unit < whole; unit++) if (!bernoulli(random, INVERSE_E)) return false;
  const rest = x.numerator % x.denominator;
  return rest === 0n || exponentialBelowOne(random, rest, x.denominator);
}

/**
 * e^−x for 0 < x < 1: draws with x/1, x/2, x/3, … until one fails. The number of the failing draw is odd with probability 1 − x +
 * x²/2 − … = e^−x (von Neumann's series).
 */
function exponentialBelowOne(random: RandomSource, numerator: bigint, denominator: bigint): boolean {
  let failed = 1n;
  while (uniformBelow(random, denominator * failed) < numerator) failed += 1n;
  return failed % 2n === 1n;
}
