import type { Channel } from './channel';

/** Expectation maximisation converges slowly under heavy noise, but the result hardly matters there. */
const STEPS = 100;

/**
 * A likely distribution of the truths, given how many sources gave each class of outputs. Mixes in one source's worth of the guess, so that
 * every truth stays possible.
 */
export function likelyTruths(channel: Channel, observed: readonly number[]): readonly number[] {
  const sources = observed.reduce((a, b) => a + b, 0);
  const shares = observed.map((count) => count / sources);
  let truths = channel.guess;
  for (let step = 0; step < STEPS; step++) truths = channel.likelier(truths, shares);
  return truths.map((share, index) => (share * sources + (channel.guess[index] ?? 0)) / (sources + 1));
}

/**
 * The distribution with the given mean that is nearest to `shares` in relative entropy: each share times e^(λ·value). Clamps the mean to
 * the range of the values.
 */
export function tilted(
  shares: readonly number[],
  values: readonly number[],
  mean: number,
): readonly number[] {
  const possible = values.filter((_, index) => (shares[index] ?? 0) > 0);
  const [least, greatest] = [Math.min(...possible), Math.max(...possible)];
  if (least === greatest) return shares;
  const scale = greatest - least;
  const target = Math.min(Math.max((mean - least) / scale, 0), 1);
  if (target === 0 || target === 1) return at(shares, values, target === 0 ? least : greatest);
  const heights = values.map((value) => (value - least) / scale);
  // Bisects between tilts that put all but 10^−15 at one end.
  let [low, high] = [-1e4, 1e4];
  let result = shares;
  for (let step = 0; step < 70; step++) {
    const middle = (low + high) / 2;
    result = weigh(shares, heights, middle);
    const reached = result.reduce((sum, share, index) => sum + share * (heights[index] ?? 0), 0);
    if (Math.abs(reached - target) <= 1e-13 * Math.min(target, 1 - target)) break;
    if (reached < target) low = middle;
    else high = middle;
  }
  return result;
}

function weigh(shares: readonly number[], heights: readonly number[], tilt: number): readonly number[] {
  const weights = new Array<number>(shares.length);
  let total = 0;
  for (let index = 0; index < shares.length; index++) {
    const height = heights[index] ?? 0;
    const weight = (shares[index] ?? 0) * Math.exp(tilt * (tilt > 0 ? height - 1 : height));
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
