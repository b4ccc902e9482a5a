import { FIXED_ONE, fixedLogarithm } from './fixed-point';

/** What an output o costs when the truth is y: (o − y)², |o − y|, or o − y·ln o. */
export type Loss = 'squared' | 'absolute' | 'poisson';

/** What a bin's values, and all others, weigh beside their prior; in fixed point. */
export interface BinWeights {
  readonly inside: bigint;
  readonly outside: bigint;
}

/** The best output for a bin, as a fraction, and its loss, in fixed point times the values' denominator (squared: its square). */
export interface BinCost {
  readonly loss: bigint;
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Sums over the values before an index: of their weights w, w·v and w·v². */
interface Moments {
  readonly weight: bigint;
  readonly first: bigint;
  readonly second: bigint;
}

/**
 * Gives the cost of the bin of the values from `from` up to but not including `to`: the least Σ w·loss over all values, where
 * values of the bin weigh their prior times `inside` and others their prior times `outside`: how likely each is to give the bin's
 * output.
 * @param values ascending whole numbers: the values times their common denominator `scale`.
 * @param prior whole numbers proportional to the prior.
 */
export function binCosts(
  loss: Loss,
  values: readonly bigint[],
  scale: bigint,
  prior: readonly bigint[],
  { inside: own, outside: other }: BinWeights,
): (from: number, to: number) => BinCost {
  const moments = prefixMoments(values, prior);
  const upTo = (index: number): Moments => moments[index] ?? NO_MOMENTS;
  /** Over the values before `end`, with the weights that the bin gives them. */
  const weighted = (from: number, to: number, end: number): Moments => {
    const inBin = minus(upTo(Math.max(from, Math.min(to, end))), upTo(from));
    const all = upTo(end);
    const mix = (part: bigint, whole: bigint): bigint => own * part + other * (whole - part);
    return {
      weight: mix(inBin.weight, all.weight),
      first: mix(inBin.first, all.first),
      second: mix(inBin.second, all.second),
    };
  };

  const atMean = (from: number, to: number, cost: (total: Moments) => bigint): BinCost => {
    const total = weighted(from, to, values.length);
    return { loss: cost(total), numerator: total.first, denominator: total.weight * scale };
  };

  switch (loss) {
    case 'squared':
      // Σ w·(m − v)² = Σ w·v² − (Σ w·v)²/Σ w at the mean m, which minimises it.
      return (from, to) => atMean(from, to, ({ weight, first, second }) => second - (first * first) / weight);
    case 'poisson':
      // Σ w·(m − v·ln m) = (Σ w·v)·(1 − ln m) at the mean m, which minimises it; 0 if all values with weight are 0.
      return (from, to) =>
        atMean(from, to, ({ weight, first }) =>
          first === 0n ? 0n : (first * (FIXED_ONE - fixedLogarithm(first, weight * scale))) / FIXED_ONE,
        );
    case 'absolute':
      return (from, to) => {
        const total = weighted(from, to, values.length);
        const median = medianIndex(
          values.length,
          (end) => 2n * weighted(from, to, end).weight >= total.weight,
        );
        const below = weighted(from, to, median + 1);
        const value = values[median] ?? 0n;
        // Those up to the median fall short of it, those after it exceed it.
        const short = below.weight * value - below.first;
        const excess = total.first - below.first - (total.weight - below.weight) * value;
        return { loss: short + excess, numerator: value, denominator: scale };
      };
  }
}

/** The first index up to and including which there is half of the weight. */
function medianIndex(length: number, hasHalfBefore: (end: number) => boolean): number {
  let [low, high] = [0, length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (hasHalfBefore(middle + 1)) high = middle;
    else low = middle + 1;
  }
  return low;
}

const NO_MOMENTS: Moments = { weight: 0n, first: 0n, second: 0n };

function prefixMoments(values: readonly bigint[], prior: readonly bigint[]): Moments[] {
  let sums = NO_MOMENTS;
  const prefixes = [sums];
  values.forEach((value, index) => {
    const weight = prior[index] ?? 0n;
    sums = {
      weight: sums.weight + weight,
      first: sums.first + weight * value,
      second: sums.second + weight * value * value,
    };
    prefixes.push(sums);
  });
  return prefixes;
}

const minus = (a: Moments, b: Moments): Moments => ({
  weight: a.weight - b.weight,
  first: a.first - b.first,
  second: a.second - b.second,
});
