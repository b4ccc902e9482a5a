import { bestCut, intervalsOf, NO_INTERVALS, type Cut, type Interval } from './best-cut';
import { binCosts, type BinCost, type Loss } from './bin-loss';
import type { FiniteMechanism, Weights } from './finite-distribution';
import { FIXED_ONE, fixedExponentialOfMinus } from './fixed-point';
import { epsilonParameter, priorParameter, unexpected, valuesParameter } from './parameters';
import { overCommonDenominator, Rational, type Exact } from './rational';
import { ONE, otherWeight } from './rr-with-prior';

/** Values that have one output. */
export interface Bin {
  /** Indices of its values. */
  readonly members: readonly number[];
  readonly output: number;
}

/**
 * Randomized response on bins (Ghazi et al. 2022, "Regression with label differential privacy", algorithm 2); see docs/mechanisms.md.
 * Inputs are indices of values. Bins and outputs depend on the prior and on ε only: their precision does not affect privacy.
 * @throws ParameterError for parameters out of range.
 */
export function rrOnBins(
  values: readonly Exact[],
  prior: readonly Exact[],
  loss: Loss,
  epsilon: Exact,
): FiniteMechanism<number> & { readonly bins: readonly Bin[]; readonly expectedLoss: number } {
  const exactEpsilon = epsilonParameter(epsilon);
  const probabilities = priorParameter(prior);
  const support = valuesParameter(values, probabilities);
  if (loss === 'poisson')
    support.forEach((value, index) => {
      if (value.sign < 0n) throw unexpected(`values[${index}]`, values[index], 'not-negative-for-poisson');
    });
  const order = support.map((_, index) => index).sort((a, b) => (isBelow(support, a, b) ? -1 : 1));
  const pick = <T>(list: readonly T[]): T[] => order.map((index) => list[index] as T); // a permutation of its indices
  const scaledValues = overCommonDenominator(pick(support));
  const scaledPrior = overCommonDenominator(pick(probabilities));
  const q = fixedExponentialOfMinus(exactEpsilon);
  const costs = binCosts(loss, scaledValues.numerators, scaledValues.denominator, scaledPrior.numerators, {
    inside: FIXED_ONE,
    outside: q,
  });
  const best = bestBins(order.length, q, costs);

  const other = otherWeight(exactEpsilon);
  const bins = best.bins.map(({ from, to, cost }) => ({
    members: order.slice(from, to),
    output: Rational.fraction(cost.numerator, cost.denominator).toNumber(),
  }));
  const unit =
    scaledPrior.denominator * scaledValues.denominator * (loss === 'squared' ? scaledValues.denominator : 1n);
  return {
    bins,
    expectedLoss: Rational.fraction(best.loss, best.scale * unit).toNumber(),
    outputs: bins.map(({ output }) => output),
    weights: (input): Weights => bins.map(({ members }) => (members.includes(input) ? ONE : other)),
  };
}

function isBelow(support: readonly Rational[], a: number, b: number): boolean {
  const [left, right] = [support[a], support[b]];
  return left !== undefined && right !== undefined && left.compare(right) < 0n;
}

/**
 * The bins with the least (Σ of their losses)/(1 + (k − 1)·q), of equally good ones the fewest. Dynamic programme over the number
 * k of bins that cover the values before r: what precedes the last bin is best covered by k − 1. O(count²) bins, O(count³) sums.
 */
function bestBins(
  count: number,
  q: bigint,
  costs: (from: number, to: number) => BinCost,
): { readonly bins: readonly Interval<BinCost>[]; readonly loss: bigint; readonly scale: bigint } {
  // Every k needs the same intervals.
  const known: Interval<BinCost>[][] = [];
  const interval = (from: number, to: number): Interval<BinCost> =>
    ((known[from] ??= [])[to] ??= { from, to, cost: costs(from, to) });
  let cuts: (Cut<BinCost> | null)[] = [NO_INTERVALS];
  let best: { readonly cut: Cut<BinCost>; readonly scale: bigint } | null = null;
  for (let k = 1; k <= count; k++) {
    const shorter = cuts;
    cuts = Array.from({ length: count + 1 }, (_, to) => bestCut(shorter, interval, to));
    const cut = cuts[count] ?? null;
    const scale = FIXED_ONE + BigInt(k - 1) * q;
    if (cut !== null && (best === null || cut.loss * best.scale < best.cut.loss * scale))
      best = { cut, scale };
  }
  if (best === null) throw new RangeError('there must be at least one value');
  return { bins: intervalsOf(best.cut), loss: best.cut.loss, scale: best.scale };
}
