import { rememberedByKey } from '../model/remembered';
import type { RandomSource } from './random-source';
import { leastIndex } from './least-index';
import { ceilDivide, type RealBounds } from './real-bounds';

/**
 * Weights of 0 … n − 1; they need not sum to one. Each is at most 1, one is positive, and they may be irrational, such as e^−ε.
 */
export type Weights = readonly RealBounds[];

/** A mechanism over finitely many inputs, numbered from 0, and outputs. */
export interface FiniteMechanism<Output> {
  readonly outputs: readonly Output[];
  /** How probable each output is for an input. */
  readonly weights: (input: number) => Weights;
}

export function outputsFor<Output>(
  mechanism: FiniteMechanism<Output>,
  input: number,
): (random: RandomSource) => Output {
  const draw = weightedIndex(mechanism.weights(input));
  return (random) => mechanism.outputs[draw(random)] as Output; // weights and outputs are as many
}

export function probabilities(weights: Weights): RealBounds[] {
  const scaled = commonScale(weights);
  return weights.map((_, index) => (bits) => {
    const { parts, total } = scaled(bits);
    return share(parts[index] ?? ZERO, total, bits);
  });
}

/**
 * Draws an index with probability proportional to its weight, exactly: the first whose cumulative probability exceeds a uniform
 * number, drawn 64 bits at a time until the bounds decide.
 */
export function weightedIndex(weights: Weights): (random: RandomSource) => number {
  if (weights.length === 0) throw new RangeError('weights must not be empty');
  const scaled = commonScale(weights);
  const cumulative = rememberedByKey((bits: number) => {
    const { parts, total } = scaled(bits);
    let below = ZERO;
    return parts.slice(0, -1).map((part) => share((below = add(below, part)), total, bits));
  });
  return (random) => {
    if (random.decide !== undefined) return random.decide(probabilities(weights));
    let drawn = 0n;
    for (let bits = 64; ; bits += 64) {
      drawn = (drawn << 64n) | random.uint64();
      const bounds = cumulative(bits);
      const index = leastIndex(bounds.length, (place) => drawn < (bounds[place]?.upper ?? 0n));
      const bound = bounds[index];
      if (bound === undefined || drawn < bound.lower) return index;
    }
  };
}

type Bounds = ReturnType<RealBounds>;

const ZERO: Bounds = { lower: 0n, upper: 0n };

const add = (a: Bounds, b: Bounds): Bounds => ({ lower: a.lower + b.lower, upper: a.upper + b.upper });

/** All weights, at a precision at which their total is precise to `bits` bits. */
function commonScale(weights: Weights): (bits: number) => { parts: readonly Bounds[]; total: Bounds } {
  return rememberedByKey((bits) => {
    // The errors of all weights together stay below a unit; small weights need more.
    let precision = bits + weights.length.toString(2).length + 8;
    for (;;) {
      const parts = weights.map((weight) => weight(precision));
      const total = parts.reduce(add, ZERO);
      if (total.lower >> BigInt(bits) > 0n) return { parts, total };
      precision *= 2;
    }
  });
}

/** own / (own + others): it rises with `own` and falls with the others. */
function share(own: Bounds, total: Bounds, bits: number): Bounds {
  const scale = BigInt(bits);
  return {
    lower: own.lower === 0n ? 0n : (own.lower << scale) / (own.lower + total.upper - own.upper),
    upper: own.upper === 0n ? 0n : ceilDivide(own.upper << scale, own.upper + total.lower - own.lower),
  };
}
