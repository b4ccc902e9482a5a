import type { AnalysedGroup } from '../analysis/estimate/analysis';

/* What maximum likelihood is compared with: the consistent estimates that `cointoss estimate` had before. */

/** An estimate of the sum of some unknowns. */
interface SumEstimate {
  readonly of: readonly number[];
  readonly estimate: number;
  readonly variance: number;
}

/**
 * The conversions of each smallest group by trigger data and window, none below 0, that best fit all unbiased estimates of their sums by weighted
 * least squares; then reduced to what a group's sources can have.
 * @param groups as `analyse` gives them.
 * @param maxReports of one source.
 * @returns the sum for a group, of one trigger data or of all.
 */
export function leastSquares(
  groups: readonly AnalysedGroup[],
  maxReports: number,
): (group: readonly string[], triggerData?: number) => number {
  const depth = Math.max(...groups.map(({ group }) => group.length));
  const last = groups.filter(({ group }) => group.length === depth);
  const cells = (last[0]?.estimates ?? []).flatMap(({ quantity }) =>
    quantity.kind === 'trigger-data-and-window' ? [quantity] : [],
  );
  const unknowns = (group: readonly string[], isPart: (cell: Cell) => boolean): readonly number[] =>
    last.flatMap((part, index) =>
      group.every((name, at) => part.group[at] === name)
        ? cells.flatMap((cell, at) => (isPart(cell) ? [index * cells.length + at] : []))
        : [],
    );
  const sums = groups.flatMap(({ group, estimates }) =>
    estimates.flatMap(({ quantity, estimate: { estimate, variance } }): SumEstimate[] => {
      const isPart = marginOf(quantity);
      return isPart === null ? [] : [{ of: unknowns(group, isPart), estimate, variance }];
    }),
  );
  const fitted = fitSums(sums, last.length * cells.length);
  const values = last.flatMap(({ sources }, index) =>
    lowered(fitted.slice(index * cells.length, (index + 1) * cells.length), maxReports * sources),
  );
  return (group, triggerData) =>
    unknowns(group, (cell) => triggerData === undefined || cell.triggerData === triggerData).reduce(
      (sum, unknown) => sum + (values[unknown] ?? 0),
      0,
    );
}

interface Cell {
  readonly triggerData: number;
  readonly windowEnd: number;
}

type Quantity = AnalysedGroup['estimates'][number]['quantity'];

/** Which cells a quantity sums; null if it is not a number of conversions. */
function marginOf(quantity: Quantity): ((cell: Cell) => boolean) | null {
  const { kind } = quantity;
  if (kind === 'conversions') return () => true;
  if (kind === 'trigger-data') return ({ triggerData }) => triggerData === quantity.triggerData;
  if (kind === 'window') return ({ windowEnd }) => windowEnd === quantity.windowEnd;
  if (kind === 'trigger-data-and-window')
    return ({ triggerData, windowEnd }) =>
      triggerData === quantity.triggerData && windowEnd === quantity.windowEnd;
  return null;
}

const MAX_SWEEPS = 10_000;

/** The unknowns of at least 0 with the least Σ (sum − estimate)²/variance: sets each in turn to its best value given the others. */
function fitSums(sums: readonly SumEstimate[], count: number): readonly number[] {
  const sumsOf = Array.from({ length: count }, (): number[] => []);
  sums.forEach(({ of }, sum) => of.forEach((unknown) => sumsOf[unknown]?.push(sum)));
  const weights = sums.map(({ variance }) => 1 / Math.max(variance, 1e-12));
  const missing = sums.map(({ estimate }) => estimate);
  const values = new Array<number>(count).fill(0);
  const enough = 1e-8 * Math.max(...missing.map(Math.abs));
  for (let sweep = 0, greatest = Infinity; sweep < MAX_SWEEPS && greatest > enough; sweep++) {
    greatest = 0;
    sumsOf.forEach((own, unknown) => {
      const pull = own.reduce((total, sum) => total + (missing[sum] ?? 0) * (weights[sum] ?? 0), 0);
      const precision = own.reduce((total, sum) => total + (weights[sum] ?? 0), 0);
      const value = values[unknown] ?? 0;
      const change = Math.max(value + pull / precision, 0) - value;
      values[unknown] = value + change;
      for (const sum of own) missing[sum] = (missing[sum] ?? 0) - change;
      greatest = Math.max(greatest, Math.abs(change));
    });
  }
  return values;
}

/** Takes the same amount from all values, as far as each has it, until they add up to no more than `most` (norm-sub). */
function lowered(values: readonly number[], most: number): readonly number[] {
  const less = (amount: number): readonly number[] => values.map((value) => Math.max(value - amount, 0));
  const sum = (parts: readonly number[]): number => parts.reduce((a, b) => a + b, 0);
  let [low, high] = [0, Math.max(...values)];
  if (sum(values) <= most) return values;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (sum(less(middle)) > most) low = middle;
    else high = middle;
  }
  return less(high);
}
