import type { RandomSource } from './random-source';
import type { RealBounds } from './real-bounds';

export function randomBits(random: RandomSource, bits: number): bigint {
  let value = 0n;
  for (let drawn = 0; drawn < bits; drawn += 64) value = (value << 64n) | random.uint64();
  return BigInt.asUintN(bits, value);
}

/**
 * A uniform integer from 0 to `bound` − 1, exactly: values beyond the bound are drawn again.
 * @throws RangeError unless `bound` > 0.
 */
export function uniformBelow(random: RandomSource, bound: bigint): bigint {
  if (bound <= 0n) throw new RangeError(`bound must be positive, was ${String(bound)}`);
  if (random.decide !== undefined) return BigInt(random.decide(equalChances(bound)));
  const bits = (bound - 1n).toString(2).length;
  for (;;) {
    const value = randomBits(random, bits);
    if (value < bound) return value;
  }
}

function equalChances(count: bigint): RealBounds[] {
  const chance: RealBounds = (bits) => {
    const one = 1n << BigInt(bits);
    return { lower: one / count, upper: (one + count - 1n) / count };
  };
  return new Array<RealBounds>(Number(count)).fill(chance);
}

/** The items in a uniformly random order (Fisher and Yates). */
export function shuffle<T>(random: RandomSource, items: readonly T[]): T[] {
  const rest = [...items];
  const shuffled: T[] = [];
  while (rest.length > 0) shuffled.push(...rest.splice(Number(uniformBelow(random, BigInt(rest.length))), 1));
  return shuffled;
}

/** A version 4 UUID (RFC 9562), in lower case. */
export function randomUuid(random: RandomSource): string {
  const hex = randomBits(random, 128).toString(16).padStart(32, '0');
  const variant = (8 | (parseInt(hex.slice(16, 17), 16) & 3)).toString(16);
  const third = variant + hex.slice(17, 20);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${third}-${hex.slice(20)}`;
}
