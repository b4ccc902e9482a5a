import { rememberedByKey } from '../model/remembered';
import type { Rational } from './rational';
import { ceilDivide, floorDivide } from '../../numeric/integers';

export { ceilDivide, floorDivide };

/** Bounds of a real x: `lower` ≤ x·2^bits ≤ `upper`. They converge as `bits` grows. */
export type RealBounds = (bits: number) => { readonly lower: bigint; readonly upper: bigint };

export const rationalBounds =
  ({ numerator, denominator }: Rational): RealBounds =>
  (bits) => {
    const scaled = numerator << BigInt(bits);
    return { lower: floorDivide(scaled, denominator), upper: ceilDivide(scaled, denominator) };
  };

/** factor·x for factor ≥ 0 and x ≥ 0. */
export const scaledBy =
  ({ numerator, denominator }: Rational, x: RealBounds): RealBounds =>
  (bits) => {
    // One bit more than the factor has before the point.
    const more = (numerator / denominator).toString(2).length + 1;
    const { lower, upper } = x(bits + more);
    const scale = denominator << BigInt(more);
    return { lower: (numerator * lower) / scale, upper: ceilDivide(numerator * upper, scale) };
  };

/** ln 2 = Σ 1/(k·2^k). */
export const LN2: RealBounds = (bits) => {
  const precision = bits + bits.toString(2).length + 4;
  let [lower, k] = [0n, 1n];
  for (let power = 1n << BigInt(precision - 1); power > 0n; power >>= 1n, k += 1n) lower += power / k;
  // Each term is rounded down; the terms left out sum to less than a unit.
  const excess = BigInt(precision - bits);
  return { lower: lower >> excess, upper: ((lower + k + 1n) >> excess) + 1n };
};

export const difference =
  (a: RealBounds, b: RealBounds): RealBounds =>
  (bits) => {
    const [from, what] = [a(bits), b(bits)];
    return { lower: from.lower - what.upper, upper: from.upper - what.lower };
  };

/** a/b for a ≥ 0 (a lower bound below 0 counts as 0) and b > 0. */
export const quotient =
  (a: RealBounds, b: RealBounds): RealBounds =>
  (bits) => {
    // More bits until b is told from 0 and precise enough for the result.
    let precision = bits + 16;
    while (b(precision).lower < 1n << BigInt(bits + 8)) precision *= 2;
    const [over, under] = [a(precision), b(precision)];
    const lower = over.lower < 0n ? 0n : over.lower;
    return {
      lower: (lower << BigInt(bits)) / under.upper,
      upper: ceilDivide(over.upper << BigInt(bits), under.lower),
    };
  };

/**
 * e^−x for a real x ≥ 0. With r = x/2^s below 1/2: the alternating series of e^−r in whole multiples of 2^−precision, squared s
 * times. The bounds are a unit or two apart. If e^−x is below a unit, no series is needed.
 */
export function exponentialOfMinus(x: RealBounds): RealBounds {
  return rememberedByKey((bits) => {
    const whole = x(0);
    // e^−x < 2^−x.
    if (whole.lower > BigInt(bits)) return { lower: 0n, upper: 1n };
    const squarings = (whole.upper < 0n ? 0n : whole.upper).toString(2).length + 1;
    // Squaring a number ≤ 1 at most doubles its error and adds a unit. The series has an error of a few units per term, and fewer
    // terms than bits.
    const guard = squarings + 2 * bits.toString(2).length + 8;
    const precision = BigInt(bits + guard);
    const exact = x(bits + guard);
    if (exact.upper === 0n) return { lower: 1n << BigInt(bits), upper: 1n << BigInt(bits) };
    const from = exact.lower < 0n ? 0n : exact.lower;
    let { lower, upper } = series(from >> BigInt(squarings), precision);
    // What the shift cut off, and the width of x, lower the result by no more than their own size.
    lower -= 1n + ((exact.upper - from) >> BigInt(squarings)) + 1n;
    for (let i = 0; i < squarings; i++) {
      lower = lower < 0n ? 0n : (lower * lower) >> precision;
      upper = ((upper * upper) >> precision) + 1n;
    }
    const one = 1n << BigInt(bits);
    const top = (upper >> BigInt(guard)) + 1n;
    return { lower: lower >> BigInt(guard), upper: top < one ? top : one };
  });
}

/** Bounds of e^−r for r = `scaled`·2^−precision, at most 1/2. */
function series(scaled: bigint, precision: bigint): { lower: bigint; upper: bigint } {
  let total = 0n;
  let index = 0n;
  for (let term = 1n << precision; term > 0n;) {
    total += index % 2n === 0n ? term : -term;
    index += 1n;
    term = ((term * scaled) >> precision) / index;
  }
  // Each term is short by less than 3 units: two of its own, and half of its predecessor's. The terms left out alternate and
  // fall, so they sum to less than the first of them, which is below 3 units.
  const error = 3n * index + 3n;
  return { lower: total - error, upper: total + error };
}
