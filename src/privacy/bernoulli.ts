import { Rational } from './rational';
import type { RandomSource } from './random-source';
import { difference, exponentialOfMinus, rationalBounds, type RealBounds } from './real-bounds';
import { uniformBelow } from './uniform';

const ONE = rationalBounds(Rational.ONE);

export const INVERSE_E = exponentialOfMinus(rationalBounds(Rational.ONE));

/**
 * Whether U < x for a uniform U in [0, 1). U is drawn 64 bits at a time until the bounds of x decide, so rounding never does. The
 * attack of Mironov (2012) on the low bits of floating-point noise finds nothing here.
 */
export function bernoulli(random: RandomSource, x: RealBounds): boolean {
  if (random.decide !== undefined) return random.decide([x, difference(ONE, x)]) === 0;
  let drawn = 0n;
  for (let bits = 64; ; bits += 64) {
    drawn = (drawn << 64n) | random.uint64();
    const { lower, upper } = x(bits);
    if (drawn + 1n <= lower) return true;
    if (drawn >= upper) return false;
  }
}

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
