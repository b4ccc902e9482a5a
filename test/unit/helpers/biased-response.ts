import { exponentialBounds } from '../../../src/privacy/exponential';
import type { RandomSource } from '../../../src/privacy/random-source';
import type { RandomizedResponse } from '../../../src/privacy/randomized-response';
import { bernoulli } from '../../../src/privacy/bernoulli';
import type { RealBounds } from '../../../src/privacy/real-bounds';
import { uniformBelow } from '../../../src/privacy/uniform';

export type Mechanism = (random: RandomSource) => RandomizedResponse;

/** Randomized response with its probability bounds changed by `bend`. */
export function biasedResponse(states: bigint, epsilon: number, bend: (value: bigint) => bigint): Mechanism {
  const bounds: RealBounds = (bits) => {
    const { lower, upper } = exponentialBounds(epsilon)(bits);
    const numerator = states << BigInt(2 * bits);
    const others = (states - 1n) << BigInt(bits);
    return { lower: bend(numerator / (others + upper)), upper: bend(numerator / (others + lower)) + 1n };
  };
  return (random) =>
    bernoulli(random, bounds)
      ? { kind: 'replaced', state: uniformBelow(random, states) }
      : { kind: 'truthful' };
}
