import type { RealBounds } from './real-bounds';

/**
 * Bounds of e^x for x = r·2^s, r ≤ 1/2: Taylor's series for r in multiples of 2^−precision, squared s times. The upper bound adds
 * all that rounding and truncation can have lost. A double is exactly a fraction over a power of two.
 * @throws RangeError unless `x` is finite and at least 0.
 */
export function exponentialBounds(x: number): RealBounds {
  if (!(x >= 0 && x < Infinity)) throw new RangeError(`x must be finite and at least 0, was ${x}`);
  if (x === 0) return (bits) => ({ lower: 1n << BigInt(bits), upper: 1n << BigInt(bits) });
  const squarings = Math.max(0, Math.ceil(Math.log2(x)) + 2);
  const { numerator, shift } = asFraction(x);
  return (bits) => {
    // e^x has 1.45·x bits before the point; each squaring costs at most two bits of precision.
    const guard = Math.ceil(1.45 * x) + 2 * squarings + 16;
    const precision = BigInt(bits + guard);
    const scaled = (numerator << precision) >> (shift + BigInt(squarings));
    let { lower, upper } = taylor(scaled, precision);
    for (let i = 0; i < squarings; i++) {
      lower = (lower * lower) >> precision;
      upper = ((upper * upper) >> precision) + 1n;
    }
    const excess = BigInt(guard);
    return { lower: lower >> excess, upper: (upper >> excess) + 1n };
  };
}

/** Bounds of e^r for r in [`scaled`, `scaled` + 1]·2^−precision, r at most 1/2. */
function taylor(scaled: bigint, precision: bigint): { lower: bigint; upper: bigint } {
  const one = 1n << precision;
  let sum = one;
  let terms = 1n;
  for (let term = one; term > 0n; terms += 1n) {
    term = (term * scaled) >> precision;
    term /= terms;
    sum += term;
  }
  // Each term loses less than 3 units to rounding: two of its own, and half of its predecessor's. The terms left out sum to less
  // than one unit. The unit of `scaled` itself counts at most e^(1/2) < 2.
  return { lower: sum, upper: sum + 3n * terms + 3n };
}

function asFraction(x: number): { numerator: bigint; shift: bigint } {
  let shift = 0n;
  let numerator = x;
  while (!Number.isInteger(numerator)) {
    numerator *= 2;
    shift += 1n;
  }
  return { numerator: BigInt(numerator), shift };
}
