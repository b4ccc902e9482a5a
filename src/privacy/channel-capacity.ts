import { epsilon, type Epsilon } from '../model/units';
import { randomizedTriggerRate } from './randomized-response';

/**
 * Bits that one source's output can carry at most (ARA, "compute the channel capacity of a source"): the capacity of a k-ary
 * symmetric channel, log2 k − h(q) − q·log2(k − 1), where q is the probability that the output is not the truth.
 */
export function channelCapacity(states: bigint, epsilon: Epsilon): number {
  if (states === 1n) return 0;
  const k = Number(states);
  const falseProbability = (randomizedTriggerRate(states, epsilon) * (k - 1)) / k;
  // At ε = 0 the capacity is 0; rounding could make it negative.
  return Math.max(0, Math.log2(k) - binaryEntropy(falseProbability) - falseProbability * Math.log2(k - 1));
}

/** The bits that attribution scopes can add (ARA, "compute the scopes channel capacity of a source"). */
export function scopesChannelCapacity(states: bigint, scopeLimit: number, maxEventStates: number): number {
  return Math.log2(Number(states + BigInt(maxEventStates) * BigInt(scopeLimit - 1)));
}

function binaryEntropy(p: number): number {
  return p === 0 || p === 1 ? 0 : -p * Math.log2(p) - (1 - p) * Math.log2(1 - p);
}

/** The largest ε in [0, `maxEpsilon`] whose channel capacity is at most `maxBits`. It grows with ε, so bisection finds ε. */
export function largestEpsilonWithin(maxBits: number, states: bigint, maxEpsilon: Epsilon): Epsilon {
  if (channelCapacity(states, maxEpsilon) <= maxBits) return maxEpsilon;
  let fits = epsilon(0);
  let exceeds = maxEpsilon;
  for (;;) {
    const middle = epsilon(fits + (exceeds - fits) / 2);
    if (middle === fits || middle === exceeds) return fits;
    if (channelCapacity(states, middle) <= maxBits) fits = middle;
    else exceeds = middle;
  }
}
