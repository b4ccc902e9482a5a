import { type RandomSource } from '../../../src/privacy/random-source';
import type { RealBounds } from '../../../src/privacy/real-bounds';
import { chiSquare, chiSquareThreshold, exponentialFloor } from './random';
import { seededRandomSource } from '../../../analysis/random/sources';

/** The probability that a statistical test rejects an exact mechanism; the fixed seeds make the result repeatable. */
const FALSE_ALARM = 1e-6;

export function frequencies(
  outputs: number,
  draws: number,
  draw: (random: RandomSource) => number,
): number[] {
  const random = seededRandomSource('frequencies', outputs);
  const counts = Array<number>(outputs).fill(0);
  for (let i = 0; i < draws; i++) {
    const output = draw(random);
    counts[output] = (counts[output] ?? 0) + 1;
  }
  return counts;
}

/**
 * A chi-square test of draws against the distribution. By default there are enough to refute noise that is a tenth too low. Pools outputs
 * expected fewer than 10 times, because the statistic is chi-square only for nearly normal counts.
 */
export function fits(
  expected: readonly number[],
  draw: (random: RandomSource) => number,
  draws = 200_000,
): boolean {
  const counts = frequencies(expected.length, draws, draw);
  const rare = expected.map((probability) => probability * draws < 10);
  const pool = (numbers: readonly number[]): number[] => {
    const pooled = numbers.reduce((sum, number, index) => sum + (rare[index] === true ? number : 0), 0);
    return [...numbers.filter((_, index) => rare[index] !== true), ...(pooled > 0 ? [pooled] : [])];
  };
  const means = pool(expected.map((probability) => probability * draws));
  if (expected.some((probability, index) => probability === 0 && counts[index] !== 0)) return false;
  // The threshold rises with the degrees of freedom, so rounding up to an even number only lowers the probability of rejection.
  const degrees = means.length - 1 + ((means.length - 1) % 2);
  return chiSquare(pool(counts), means) < chiSquareThreshold(degrees, FALSE_ALARM);
}

/**
 * Discrete Laplace noise −reach … reach as 0 … 2·reach: P[z] = (1 − r)/(1 + r)·r^|z| with r = e^(−1/scale). Each end has the whole tail,
 * r^reach/(1 + r).
 */
export function discreteLaplaceProbabilities(scale: number, reach: number): number[] {
  const r = Math.exp(-1 / scale);
  return Array.from({ length: 2 * reach + 1 }, (_, index) => {
    const size = Math.abs(index - reach);
    return size === reach ? r ** reach / (1 + r) : ((1 - r) / (1 + r)) * r ** size;
  });
}

/** The distribution of the sum of two independent whole numbers, each from 0. */
export function convolution(one: readonly number[], other: readonly number[]): number[] {
  const sum = Array<number>(one.length + other.length - 1).fill(0);
  one.forEach((p, first) =>
    other.forEach((q, second) => (sum[first + second] = (sum[first + second] ?? 0) + p * q)),
  );
  return sum;
}

/** The result of checking P[o | x] ≤ e^ε·P[o | x'] for all outputs o and all pairs of inputs, with intervals of 256 bits. */
export type Verdict = 'proved' | 'violated' | 'tight';

export function privacyVerdict(distributions: readonly (readonly RealBounds[])[], epsilon: number): Verdict {
  const bits = 256;
  const power = exponentialFloor(epsilon, bits);
  const rows = distributions.map((row) => row.map((probability) => probability(2 * bits)));
  let verdict: Verdict = 'proved';
  for (const row of rows)
    for (const other of rows)
      for (const [output, { lower, upper }] of row.entries()) {
        const neighbour = other[output] ?? { lower: 0n, upper: 0n };
        if (row === other || upper << BigInt(bits) <= neighbour.lower * power) continue;
        if (lower << BigInt(bits) > neighbour.upper * (power + 1n)) return 'violated';
        verdict = 'tight';
      }
  return verdict;
}

/** A certified probability as a double. */
export function asNumber(probability: RealBounds): number {
  const { lower, upper } = probability(80);
  expect(upper - lower).toBeLessThanOrEqual(4n);
  return Number(lower) / 2 ** 80;
}

/** Repeatable whole numbers for random instances. */
export function instances(seed: string): (below: number) => number {
  const random = seededRandomSource(seed, 0);
  // The bias of the remainder, below/2^64, does not matter here.
  return (below) => Number(random.uint64() % BigInt(below));
}
