import { Rational } from '../../../src/privacy/rational';
import type { Quantity } from './quantities';
import { momentsOf, type Distribution } from './state-sums';

/** What each output adds to a quantity of one configuration. */
export interface Measure {
  readonly quantity: Quantity;
  /** What an output adds to the quantity. */
  readonly adds: (output: string) => number;
  /** Mean and variance of what a uniformly random output adds. */
  readonly mean: number;
  readonly spread: number;
  /** Each value with its share of the outputs; null if there are too many values. */
  readonly shares: ReadonlyMap<number, number> | null;
  /**
   * What one report in a cell adds (`StateMeasures.composition`), if an output adds the sum over its reports; null if the numbers of reports
   * decide, or if there are no reports.
   */
  readonly ofReport: ((cell: string) => number) | null;
  /** If what an output adds depends on a number of its reports alone: that number, and what each number adds. For lost reports. */
  readonly counted: Counted | null;
}

export interface Counted {
  readonly reports: (output: string) => number;
  /** The share of outputs with each number of these reports, from 0 on. */
  readonly shares: readonly number[];
  readonly values: readonly number[];
}

/** A measure over listed outputs that are equally likely. */
export function listedMeasure(
  quantity: Quantity,
  outputs: readonly string[],
  adds: (output: string) => number,
): Measure {
  const shares = new Map<number, number>();
  for (const output of outputs) {
    const value = adds(output);
    shares.set(value, (shares.get(value) ?? 0) + 1 / outputs.length);
  }
  let mean = 0;
  for (const [value, share] of shares) mean += share * value;
  let spread = 0;
  for (const [value, share] of shares) spread += share * (value - mean) ** 2;
  return { quantity, adds, mean, spread, shares, ofReport: null, counted: null };
}

export type Spread = Pick<Measure, 'mean' | 'spread' | 'shares'>;

/** Mean and variance; the arithmetic is exact until the last step. */
export function meanAndSpread({ ways, first, second }: ReturnType<typeof momentsOf>): {
  mean: number;
  spread: number;
} {
  return {
    mean: ratio(first, ways),
    spread: ratio(second * ways - first * first, ways * ways),
  };
}

export function spreadOf(distribution: Distribution, states: bigint): Spread {
  const shares = new Map<number, number>();
  for (const [value, ways] of distribution) if (ways > 0n) shares.set(value, ratio(ways, states));
  return { ...meanAndSpread(momentsOf(distribution)), shares };
}

const ratio = (a: bigint, b: bigint): number => Rational.fraction(a, b).toNumber();
