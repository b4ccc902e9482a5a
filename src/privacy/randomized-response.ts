import { rememberedByKey } from '../model/remembered';
import { ceilDivide, exponentialOfMinus, rationalBounds, type RealBounds } from './real-bounds';
import { probability, type Epsilon, type Probability } from '../model/units';
import { Rational } from './rational';
import type { RandomSource } from './random-source';
import { bernoulli } from './bernoulli';
import { uniformBelow } from './uniform';

/**
 * The probability that k-ary randomized response draws the output uniformly from all k states, k / (k − 1 + e^ε) (ARA, "obtain a
 * randomized source response pick rate"). For display; the draw itself uses exact bounds.
 */
export function randomizedTriggerRate(states: bigint, epsilon: Epsilon): Probability {
  // At ε = 0 the exact value is 1; rounding could leave it just above.
  return probability(Math.min(1, Number(states) / (Number(states) - 1 + Math.exp(epsilon))));
}

/** The rate as a report states it: rounded to 7 decimals. */
export const roundedRate = (rate: Probability): Probability => probability(Math.round(rate * 1e7) / 1e7);

function replaceProbability(states: bigint, epsilon: Epsilon): RealBounds {
  const power = exponentialOfMinus(rationalBounds(Rational.double(epsilon)));
  // The result rises with e^−ε, at most by the number of states as fast.
  const guard = states.toString(2).length;
  return rememberedByKey((bits) => {
    const precision = bits + guard;
    const { lower, upper } = power(precision);
    const scaled = (chance: bigint): bigint => (states * chance) << BigInt(bits);
    const whole = (chance: bigint): bigint => (states - 1n) * chance + (1n << BigInt(precision));
    return { lower: scaled(lower) / whole(lower), upper: ceilDivide(scaled(upper), whole(upper)) };
  });
}

/** Report the truth, or this state whatever the truth is. */
export type RandomizedResponse =
  | { readonly kind: 'truthful' }
  | { readonly kind: 'replaced'; readonly state: bigint };

/**
 * k-ary randomized response, exact and drawn before the truth is known (ARA, "obtain a randomized source response"): the output
 * is ε-private in the true state (Kairouz, Bonawitz & Ramage 2016). The result can draw any number of times, and the first draw takes longest.
 * @throws RangeError unless `states` ≥ 1.
 */
export function randomizedResponse(
  states: bigint,
  epsilon: Epsilon,
): (random: RandomSource) => RandomizedResponse {
  if (states < 1n) throw new RangeError(`states must be at least 1, was ${String(states)}`);
  const probability = replaceProbability(states, epsilon);
  return (random) =>
    bernoulli(random, probability)
      ? { kind: 'replaced', state: uniformBelow(random, states) }
      : { kind: 'truthful' };
}
