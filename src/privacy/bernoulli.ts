import { Rational } from './rational';
import type { RandomSource } from './random-source';
import { difference, rationalBounds, type RealBounds } from './real-bounds';

const ONE = rationalBounds(Rational.ONE);

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
