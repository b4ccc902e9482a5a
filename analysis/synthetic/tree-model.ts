import { randomBits } from '../../src/privacy/uniform';
import type { RandomSource } from '../../src/privacy/random-source';
import { sumsOfPair, type Marginal, type Marginals, type Pair, type Row } from './private-marginals';
import { apportioned, onSimplex } from './simplex';

/** Whether an attribute can have a value, given the values that the row has already; −1 stands for none yet. */
export type Allowed = (row: Row, attribute: number, value: number) => boolean;

const RAKINGS = 60;
/** So much of the whole is spread as if attributes were independent, so that no row or column of a pair is empty. */
const SPREAD = 1e-6;

/** Joins the kept pair and further attributes to it, or begins a tree. */
interface Step {
  readonly attribute: number;
  /** Null: it depends on no other attribute. */
  readonly from: number | null;
  /** For each value of `from`, a weight for each value of the attribute; otherwise one list. */
  readonly weights: readonly (readonly number[])[];
}

/**
 * The distribution of rows with these marginals in which attributes depend on each other only through the measured pairs. The pairs make trees, so it
 * is the product of their conditional distributions (Chow & Liu 1968), which has the largest entropy. It is computed from noisy counts alone.
 */
export class TreeModel {
  /** Counts of the kept pair, as whole numbers: as many rows have each pair of values. */
  readonly kept: readonly number[];
  private readonly pair: Pair;
  private readonly steps: readonly Step[];

  /** @param rows how many rows there are, by another count. */
  constructor(
    { ones, pairs }: Marginals,
    private readonly sizes: readonly number[],
    rows: number,
  ) {
    const [first] = pairs;
    if (first === undefined) throw new RangeError('a pair must be measured');
    const totals = totalsOf(ones, pairs, sizes).map((counts) => onSimplex(counts, rows));
    const raked = (marginal: Marginal<Pair>): readonly number[] =>
      rakedPair(onSimplex(marginal.counts, rows), totals[marginal.of[0]] ?? [], totals[marginal.of[1]] ?? []);
    this.pair = first.of;
    this.kept = apportioned(raked(first));
    this.steps = stepsOf(
      this.pair,
      pairs.slice(1).map(({ of, ...marginal }) => ({ of, counts: raked({ of, ...marginal }) })),
      totals,
    );
  }

  /** As many rows as `kept` has, in an order that tells nothing. */
  rows(random: RandomSource, allowed: Allowed): readonly Row[] {
    const [one, other] = this.pair;
    const width = this.sizes[other] ?? 1;
    const rows = this.kept.flatMap((count, cell) =>
      Array.from({ length: count }, () => {
        const row = this.sizes.map(() => -1);
        row[one] = Math.floor(cell / width);
        row[other] = cell % width;
        for (const { attribute, from, weights } of this.steps) {
          const given = weights[from === null ? 0 : (row[from] ?? 0)] ?? [];
          row[attribute] = drawn(
            random,
            given.map((weight, value) => (allowed(row, attribute, value) ? weight : null)),
          );
        }
        return row;
      }),
    );
    return shuffled(rows, random);
  }
}

/** The counts of each attribute: means of what the marginals say, weighted by their inverse variances. */
function totalsOf(
  ones: readonly Marginal<number>[],
  pairs: readonly Marginal<Pair>[],
  sizes: readonly number[],
): readonly (readonly number[])[] {
  const said = [
    ...ones.map((marginal) => ({ marginal, terms: 1 })),
    ...pairs.flatMap((pair) => {
      const [one, other] = sumsOfPair(pair, sizes);
      return [
        { marginal: one, terms: sizes[pair.of[1]] ?? 1 },
        { marginal: other, terms: sizes[pair.of[0]] ?? 1 },
      ];
    }),
  ];
  return sizes.map((size, attribute) => {
    const sums = new Array<number>(size).fill(0);
    let whole = 0;
    for (const { marginal, terms } of said) {
      if (marginal.of !== attribute) continue;
      const weight = 1 / (terms * marginal.scale.toNumber() ** 2);
      whole += weight;
      marginal.counts.forEach((count, value) => {
        sums[value] = (sums[value] ?? 0) + weight * count;
      });
    }
    return sums.map((sum) => (whole === 0 ? 0 : sum / whole));
  });
}

/** Iterative proportional fitting (Deming & Stephan 1940): scales rows and columns in turn until their sums are these. */
function rakedPair(
  counts: readonly number[],
  rowSums: readonly number[],
  columnSums: readonly number[],
): readonly number[] {
  const width = columnSums.length;
  const whole = rowSums.reduce((sum, count) => sum + count, 0);
  if (whole === 0) return counts.map(() => 0);
  const cells = counts.map((count, cell) => {
    const alone = ((rowSums[Math.floor(cell / width)] ?? 0) * (columnSums[cell % width] ?? 0)) / whole;
    return (1 - SPREAD) * count + SPREAD * alone;
  });
  const scale = (targets: readonly number[], of: (cell: number) => number): void => {
    const sums = new Array<number>(targets.length).fill(0);
    cells.forEach((count, cell) => {
      sums[of(cell)] = (sums[of(cell)] ?? 0) + count;
    });
    cells.forEach((count, cell) => {
      const sum = sums[of(cell)] ?? 0;
      cells[cell] = sum === 0 ? 0 : (count * (targets[of(cell)] ?? 0)) / sum;
    });
  };
  for (let round = 0; round < RAKINGS; round++) {
    scale(rowSums, (cell) => Math.floor(cell / width));
    scale(columnSums, (cell) => cell % width);
  }
  return cells;
}

/** The order in which attributes are drawn: each that a pair connects with a known one, then the trees of the others. */
function stepsOf(
  kept: Pair,
  pairs: readonly { readonly of: Pair; readonly counts: readonly number[] }[],
  totals: readonly (readonly number[])[],
): readonly Step[] {
  const steps: Step[] = [];
  const known = new Set<number>(kept);
  const grow = (): void => {
    const next = pairs.find(({ of: [one, other] }) => known.has(one) !== known.has(other));
    if (next === undefined) return;
    const [one, other] = next.of;
    const width = totals[other]?.length ?? 1;
    const isForward = known.has(one);
    const [from, attribute] = isForward ? [one, other] : [other, one];
    const weights = (totals[from] ?? []).map((_, a) =>
      (totals[attribute] ?? []).map((__, b) => next.counts[isForward ? a * width + b : b * width + a] ?? 0),
    );
    steps.push({ attribute, from, weights });
    known.add(attribute);
    grow();
  };
  grow();
  for (const [attribute, weights] of totals.entries()) {
    if (known.has(attribute)) continue;
    steps.push({ attribute, from: null, weights: [weights] });
    known.add(attribute);
    grow();
  }
  return steps;
}

const BITS = 53;

/** @param weights null for what is not allowed. If no allowed value has a weight, all of them have the same. */
function drawn(random: RandomSource, weights: readonly (number | null)[]): number {
  const whole = weights.reduce<number>((sum, weight) => sum + (weight ?? 0), 0);
  const usable = weights.map((weight) => (weight === null ? 0 : whole > 0 ? weight : 1));
  const sum = usable.reduce((a, b) => a + b, 0);
  let place = (Number(randomBits(random, BITS)) / 2 ** BITS) * sum;
  const found = usable.findIndex((weight) => weight > 0 && (place -= weight) < 0);
  return found < 0 ? usable.findLastIndex((weight) => weight > 0) : found;
}

function shuffled(rows: readonly Row[], random: RandomSource): readonly Row[] {
  const order = [...rows];
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor((Number(randomBits(random, BITS)) / 2 ** BITS) * (last + 1));
    [order[last], order[other]] = [order[other] ?? [], order[last] ?? []];
  }
  return order;
}
