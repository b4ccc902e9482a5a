import { remembered, rememberedByKey } from '../model/remembered';
import { ceilDivide, type RealBounds } from './real-bounds';
import { probability, type Epsilon, type Probability } from '../model/units';
import { exponentialBounds } from './exponential';
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

/** The bounds take longer to compute than a draw, and most sources have one of a few shapes. */
const replaceProbability = remembered(
  (states: bigint, epsilon: Epsilon): RealBounds => {
    const exponential = exponentialBounds(epsilon);
    return rememberedByKey((bits) => {
      const scale = BigInt(bits);
      const { lower, upper } = exponential(bits);
      const numerator = states << (2n * scale);
      const others = (states - 1n) << scale;
      return { lower: numerator / (others + upper), upper: ceilDivide(numerator, others + lower) };
    });
  },
  (states, epsilon) => `${states} ${epsilon}`,
);

/** Report the truth, or this state whatever the truth is. */
export type RandomizedResponse =
  | { readonly kind: 'truthful' }
  | { readonly kind: 'replaced'; readonly state: bigint };

/**
 * k-ary randomized response, exact and drawn before the truth is known (ARA, "obtain a randomized source response"): the output
 * is ε-private in the true state (Kairouz, Bonawitz & Ramage 2016).
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
