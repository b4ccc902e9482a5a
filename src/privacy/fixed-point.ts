import { exponentialOfMinus, rationalBounds } from './real-bounds';
import type { Rational } from './rational';

/**
 * Whole multiples of 2^−192, to optimise public values such as bins: unlike `Math.exp` and `Math.log`, the same on all machines.
 * Random outcomes are decided by bounds, never by these.
 */
const FIXED_BITS = 192n;
export const FIXED_ONE = 1n << FIXED_BITS;

/** e^−x, at most one unit too high. */
export const fixedExponentialOfMinus = (x: Rational): bigint =>
  exponentialOfMinus(rationalBounds(x))(Number(FIXED_BITS)).upper;

/** ln(numerator/denominator) for positive numbers, within a few hundred units. */
export function fixedLogarithm(numerator: bigint, denominator: bigint): bigint {
  const power = BigInt(numerator.toString(2).length - denominator.toString(2).length);
  const over = power < 0n ? numerator << -power : numerator;
  const under = power > 0n ? denominator << power : denominator;
  return power * LN_2 + logarithmNearOne(over, under);
}

/** ln(a/b) = 2·artanh((a − b)/(a + b)) for a/b from 1/2 to 2, by the series z + z³/3 + z⁵/5 + …. */
function logarithmNearOne(a: bigint, b: bigint): bigint {
  const z = ((a - b) << FIXED_BITS) / (a + b);
  const square = (z * z) >> FIXED_BITS;
  let sum = 0n;
  let odd = 1n;
  // Division rounds towards zero, so negative terms reach 0 too.
  for (let power = z; power !== 0n; power = (power * square) / FIXED_ONE) {
    sum += power / odd;
    odd += 2n;
  }
  return 2n * sum;
}

const LN_2 = logarithmNearOne(2n, 1n);
