import { greatest, least } from '../../../numeric/extremes';
import type { Channel } from './channel';

/** Expectation maximisation converges slowly under heavy noise, but the result hardly matters there. */
const STEPS = 100;
/** A step that changes no share by more is the last one. */
const CONVERGED = 1e-14;

/**
 * A likely distribution of the truths, given how many sources gave each class of outputs. Mixes in one source's worth of the guess, so that
 * every truth stays possible.
 */
export function likelyTruths(channel: Channel, observed: readonly number[]): readonly number[] {
  const sources = observed.reduce((a, b) => a + b, 0);
  const shares = observed.map((count) => count / sources);
  let truths = channel.guess;
  for (let step = 0, change = Infinity; step < STEPS && change > CONVERGED; step++) {
    const before = truths;
    truths = channel.likelier(before, shares);
    change = 0;
    for (let index = 0; index < truths.length; index++)
      change = Math.max(change, Math.abs((truths[index] ?? 0) - (before[index] ?? 0)));
  }
  return truths.map((share, index) => (share * sources + (channel.guess[index] ?? 0)) / (sources + 1));
}

/**
 * The distribution with the given mean that is nearest to `shares` in relative entropy: each share times e^(λ·value). Clamps the mean to
 * the range of the values.
 */
export const tilted = (
  shares: readonly number[],
  values: readonly number[],
  mean: number,
): readonly number[] => tilting(shares, values)(mean);

/** The same for several means. Each search begins where the one before ended. */
export function tilting(
  shares: readonly number[],
  values: readonly number[],
): (mean: number) => readonly number[] {
  const possible = values.filter((_, index) => (shares[index] ?? 0) > 0);
  const [lowest, highest] = [least(possible), greatest(possible)];
  if (lowest === highest) return () => shares;
  const scale = highest - lowest;
  const heights = values.map((value) => (value - lowest) / scale);
  let start = 0;
  return (mean) => {
    const target = Math.min(Math.max((mean - lowest) / scale, 0), 1);
    if (target === 0 || target === 1) return at(shares, values, target === 0 ? lowest : highest);
    // Newton's method: the mean grows with the tilt by the variance. Where a step leaves the tilts that are left, which put all but 10^−15
    // at one end, it bisects them.
    let low = -1e4;
    let high = 1e4;
    let tilt = start;
    let result = shares;
    for (let step = 0; step < 70; step++) {
      result = weigh(shares, heights, tilt);
      const [reached, variance] = momentsOf(result, heights);
      if (Math.abs(reached - target) <= 1e-13 * Math.min(target, 1 - target)) break;
      if (reached < target) low = tilt;
      else high = tilt;
      const next = tilt + (target - reached) / variance;
      tilt = next > low && next < high ? next : (low + high) / 2;
    }
    start = tilt;
    return result;
  };
}

function momentsOf(
  shares: readonly number[],
  heights: readonly number[],
): readonly [mean: number, variance: number] {
  let mean = 0;
  let variance = 0;
  for (let index = 0; index < shares.length; index++) mean += (shares[index] ?? 0) * (heights[index] ?? 0);
  for (let index = 0; index < shares.length; index++)
    variance += (shares[index] ?? 0) * ((heights[index] ?? 0) - mean) ** 2;
  return [mean, variance];
}

function weigh(shares: readonly number[], heights: readonly number[], tilt: number): readonly number[] {
  const weights = new Array<number>(shares.length);
  let total = 0;
  for (let index = 0; index < shares.length; index++) {
    const height = heights[index] ?? 0;
    const share = shares[index] ?? 0;
    // The height of a value without a share can be anything, and its power infinite.
    const weight = share === 0 ? 0 : share * Math.exp(tilt * (tilt > 0 ? height - 1 : height));
    weights[index] = weight;
    total += weight;
  }
  for (let index = 0; index < weights.length; index++) weights[index] = (weights[index] ?? 0) / total;
  return weights;
}

const at = (shares: readonly number[], values: readonly number[], value: number): readonly number[] => {
  const total = shares.reduce((sum, share, index) => (values[index] === value ? sum + share : sum), 0);
  return shares.map((share, index) => (values[index] === value ? share / total : 0));
};

/** The shares as whole numbers that sum to `sources`. Rounds the running sums, so that errors do not accumulate. */
export function wholeCounts(shares: readonly number[], sources: number): readonly number[] {
  let running = 0;
  let placed = 0;
  return shares.map((share) => {
    running += share;
    const count = Math.min(Math.max(Math.round(running * sources) - placed, 0), sources - placed);
    placed += count;
    return count;
  });
}
