import type { RandomSource } from '../../../src/privacy/random-source';
import type { RandomizedResponse } from '../../../src/privacy/randomized-response';
import { bernoulli } from '../../../src/privacy/bernoulli';
import { Rational } from '../../../src/privacy/rational';
import { exponentialOfMinus, rationalBounds, type RealBounds } from '../../../src/privacy/real-bounds';
import { uniformBelow } from '../../../src/privacy/uniform';

export type Mechanism = (random: RandomSource) => RandomizedResponse;

/** Randomized response with its probability bounds changed by `bend`. */
export function biasedResponse(states: bigint, epsilon: number, bend: (value: bigint) => bigint): Mechanism {
  const bounds: RealBounds = (bits) => {
    // Precise enough for the few states of the tests.
    const { lower } = exponentialOfMinus(rationalBounds(Rational.double(epsilon)))(bits + 64);
    const whole = (states - 1n) * lower + (1n << BigInt(bits + 64));
    const rate = bend(((states * lower) << BigInt(bits)) / whole);
    return { lower: rate, upper: rate + 1n };
  };
  return (random) =>
    bernoulli(random, bounds)
      ? { kind: 'replaced', state: uniformBelow(random, states) }
      : { kind: 'truthful' };
}
