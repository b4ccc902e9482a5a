import { FIXED_ONE, fixedLogarithm } from './fixed-point';
import { leastIndex } from './least-index';

/** What an output o costs when the truth is y: (o − y)², |o − y|, or o − y·ln o. */
export type Loss = 'squared' | 'absolute' | 'poisson';

/**
 * The best output for a bin, as a fraction, and its loss: fixed point times the values' denominator (squared loss: its square).
 */
export interface BinCost {
  readonly loss: bigint;
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Sums of w, w·v and w·v² over the values before an index. */
interface Moments {
  readonly weight: bigint;
  readonly first: bigint;
  readonly second: bigint;
}

/**
 * The cost of the bin from `from` to `to` − 1: the least Σ w·loss over all values. The weight w of a value, its prior times
 * `inside` or `outside`, is proportional to how likely it is to give the bin's output.
 * @param values ascending whole numbers: the values times their common denominator `scale`.
 * @param prior whole numbers proportional to the prior. The weights are relative to it, in fixed point.
 */
export function binCosts(
  loss: Loss,
  values: readonly bigint[],
  scale: bigint,
  prior: readonly bigint[],
  { inside: own, outside: other }: Readonly<Record<'inside' | 'outside', bigint>>,
): (from: number, to: number) => BinCost {
  const moments = prefixMoments(values, prior);
  const upTo = (index: number): Moments => moments[index] ?? NO_MOMENTS;
  /** Sums over the values before `end`, with the bin's weights. */
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
        const hasHalf = (last: number): boolean => 2n * weighted(from, to, last + 1).weight >= total.weight;
        const median = leastIndex(values.length - 1, hasHalf);
        const below = weighted(from, to, median + 1);
        const value = values[median] ?? 0n;
        // Values up to the median lie below the output, those after it above.
        const short = below.weight * value - below.first;
        const excess = total.first - below.first - (total.weight - below.weight) * value;
        return { loss: short + excess, numerator: value, denominator: scale };
      };
  }
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
