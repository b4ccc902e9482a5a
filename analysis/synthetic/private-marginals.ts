import { largestSum } from '../aggregate/choices';
import { discreteLaplace } from '../noise/discrete-laplace';
import { positive } from '../../src/privacy/parameters';
import type { RandomSource } from '../../src/privacy/random-source';
import { Rational, type Exact } from '../../src/privacy/rational';
import { uniformBelow } from '../../src/privacy/uniform';
import { apportioned, onSimplex } from './simplex';

/** A value of each attribute, numbered from 0. */
export type Row = readonly number[];

/** Two attributes, the first with the smaller number. */
export type Pair = readonly [number, number];

/** Noisy counts of the values of one attribute, or of each pair of values of two, in the order of the first and then of the second. */
export interface Marginal<Of> {
  readonly of: Of;
  readonly counts: readonly number[];
  /** Of the discrete Laplace noise in each count. */
  readonly scale: Rational;
}

export interface Marginals {
  /** How many people have one row, two rows, …; the last one: `mostRows`. */
  readonly people: Marginal<'people'>;
  readonly ones: readonly Marginal<number>[];
  /** No attribute is connected with itself by these. The first is the pair that is always measured. */
  readonly pairs: readonly Marginal<Pair>[];
}

export interface MarginalPlan {
  /** How many values each attribute has. */
  readonly sizes: readonly number[];
  /** These two are always measured together. */
  readonly kept: Pair;
  /** A person has so many rows at most. */
  readonly mostRows: number;
  readonly epsilon: Exact;
}

/** Shares of ε, in hundredths: for people, the kept pair, all other attributes, all choices, and all chosen pairs. */
export const SHARES = { people: 10n, kept: 40n, ones: 20n, choices: 10n, pairs: 20n } as const;

/**
 * Measures marginals of people's rows, as in MST (McKenna, Miklau & Sheldon 2021) and PrivBayes (Zhang et al. 2017), but with pure ε: the rows of one
 * person, added or removed, change the chance of no result by more than e^ε. A person adds 1 to one count of people, and at most `mostRows`
 * to the counts of each marginal together, so Laplace noise of scale `mostRows`/ε′ costs ε′. Pairs are chosen by the exponential mechanism.
 * @param people the rows of each, at least one and at most `mostRows`
 * @param random null for the exact counts, and the pairs that say most
 * @throws ParameterError unless ε is greater than 0.
 * @throws RangeError for a person with more rows, whom the noise would not hide.
 */
export function measureMarginals(
  people: readonly (readonly Row[])[],
  plan: MarginalPlan,
  random: RandomSource | null,
): Marginals {
  const { sizes, kept, mostRows } = plan;
  const whole = positive('epsilon', plan.epsilon);
  const others = sizes.flatMap((_, attribute) => (kept.includes(attribute) ? [] : [attribute]));
  const share = (of: keyof typeof SHARES, parts = 1): Rational =>
    whole.times(Rational.fraction(SHARES[of], 100n * BigInt(parts)));
  const noisy = noisyCounts(random);
  const beyond = people.find((own) => own.length < 1 || own.length > mostRows);
  if (beyond !== undefined)
    throw new RangeError(`a person must have 1 to ${mostRows} rows, one has ${beyond.length}`);
  const rows = people.flat();
  const measure = <Of>(of: Of, counts: readonly number[], epsilon: Rational): Marginal<Of> => {
    const scale = Rational.of(mostRows).over(epsilon);
    return { of, counts: noisy(counts, scale), scale };
  };
  const numbers = people.reduce<number[]>((counts, own) => {
    counts[own.length - 1] = (counts[own.length - 1] ?? 0) + 1;
    return counts;
  }, new Array<number>(mostRows).fill(0));
  const peopleScale = Rational.ONE.over(share('people'));
  const first = measure(kept, countsOfPair(rows, sizes, kept), share('kept'));
  const ones = others.map((of) =>
    measure(of, countsOfOne(rows, sizes, of), share('ones', Math.max(others.length, 1))),
  );
  const pairs = [first];
  const chooser = new PairChooser(plan, [...sumsOfPair(first, sizes), ...ones]);
  const rounds = others.length;
  for (let round = 0; round < rounds; round++) {
    const costs = { choice: share('choices', rounds), pair: share('pairs', rounds) };
    const pair = chooser.choose(rows, costs, random);
    if (pair === null) break;
    pairs.push(measure(pair, countsOfPair(rows, sizes, pair), costs.pair));
  }
  return {
    people: { of: 'people', counts: noisy(numbers, peopleScale), scale: peopleScale },
    ...{ ones, pairs },
  };
}

/** So many of a person's rows, each with the same chance. */
export function cappedRows(rows: readonly Row[], most: number, random: RandomSource): readonly Row[] {
  const left = [...rows];
  while (left.length > most) left.splice(Number(uniformBelow(random, BigInt(left.length))), 1);
  return left;
}

/** How many people have one row, two rows, …, by the noisy counts: whole numbers. */
export const peopleByRows = ({ people: { counts } }: Marginals): readonly number[] =>
  apportioned(
    onSimplex(
      counts,
      counts.reduce((sum, count) => sum + count, 0),
    ),
  );

export const rowsOf = (byRows: readonly number[]): number =>
  byRows.reduce((sum, count, index) => sum + (index + 1) * count, 0);

const noisyCounts =
  (random: RandomSource | null) =>
  (counts: readonly number[], scale: Rational): readonly number[] => {
    if (random === null) return counts;
    const drawn = discreteLaplace(scale);
    return counts.map((count) => count + Number(drawn(random)));
  };

/** What the counts of a pair say about each of its attributes. */
export function sumsOfPair(
  { of: [one, other], counts, scale }: Marginal<Pair>,
  sizes: readonly number[],
): readonly [Marginal<number>, Marginal<number>] {
  const width = sizes[other] ?? 0;
  const sums = (attribute: number, valueOf: (cell: number) => number): Marginal<number> => {
    const summed = new Array<number>(sizes[attribute] ?? 0).fill(0);
    counts.forEach((count, cell) => {
      summed[valueOf(cell)] = (summed[valueOf(cell)] ?? 0) + count;
    });
    return { of: attribute, counts: summed, scale };
  };
  return [sums(one, (cell) => Math.floor(cell / width)), sums(other, (cell) => cell % width)];
}

const countsOfOne = (rows: readonly Row[], sizes: readonly number[], of: number): readonly number[] =>
  counted(sizes[of] ?? 0, rows, (row) => row[of] ?? 0);

const countsOfPair = (
  rows: readonly Row[],
  sizes: readonly number[],
  [one, other]: Pair,
): readonly number[] => {
  const width = sizes[other] ?? 0;
  return counted((sizes[one] ?? 0) * width, rows, (row) => (row[one] ?? 0) * width + (row[other] ?? 0));
};

function counted(size: number, rows: readonly Row[], cellOf: (row: Row) => number): readonly number[] {
  const counts = new Array<number>(size).fill(0);
  for (const row of rows) counts[cellOf(row)] = (counts[cellOf(row)] ?? 0) + 1;
  return counts;
}

/** Of noisy counts, some of which may be below 0. */
function sharesOf(counts: readonly number[]): readonly number[] {
  const whole = counts.reduce((sum, count) => sum + count, 0);
  if (whole <= 0) return counts.map(() => 1 / counts.length);
  return onSimplex(counts, whole).map((count) => count / whole);
}

/** Chooses the pairs that connect further attributes, until choosing none is better. */
class PairChooser {
  /** By attribute: the number of its tree. */
  private readonly trees: number[];
  private readonly shares = new Map<number, readonly number[]>();
  private readonly total: number;

  /** @param ones noisy counts of each attribute. */
  constructor(
    private readonly plan: MarginalPlan,
    ones: readonly Marginal<number>[],
  ) {
    this.trees = plan.sizes.map((_, attribute) => (plan.kept.includes(attribute) ? -1 : attribute));
    const [kept] = ones;
    this.total = Math.max(0, kept?.counts.reduce((sum, count) => sum + count, 0) ?? 0);
    for (const { of, counts } of ones) this.shares.set(of, sharesOf(counts));
  }

  /**
   * A pair's score is the distance of its counts from those of independent attributes, which noise has told already, less what noise will add to it.
   * The counts of one person differ by at most `mostRows` together, and so does the score.
   */
  choose(
    rows: readonly Row[],
    costs: { readonly choice: Rational; readonly pair: Rational },
    random: RandomSource | null,
  ): Pair | null {
    const { sizes, mostRows } = this.plan;
    const candidates = this.candidates();
    const noise = random === null ? 0 : mostRows / costs.pair.toNumber();
    const scores = candidates.map((pair) => {
      const expected = this.expected(pair);
      const distance = countsOfPair(rows, sizes, pair).reduce(
        (sum, count, cell) => sum + Math.abs(count - (expected[cell] ?? 0)),
        0,
      );
      return BigInt(distance - Math.round(noise * expected.length));
    });
    // The last one is none.
    const all = [...scores, 0n];
    const best = all.reduce((a, b) => (a > b ? a : b));
    const place =
      random === null ? all.indexOf(best) : largestSum(all, BigInt(mostRows), costs.choice)(random);
    const chosen = candidates[place] ?? null;
    if (chosen !== null) this.connect(chosen);
    return chosen;
  }

  private candidates(): readonly Pair[] {
    return this.trees.flatMap((tree, other) =>
      this.trees
        .slice(0, other)
        .flatMap((before, one): readonly Pair[] => (before === tree ? [] : [[one, other]])),
    );
  }

  /** Whole numbers, so that scores are. */
  private expected([one, other]: Pair): readonly number[] {
    const [ofOne, ofOther] = [this.shares.get(one) ?? [], this.shares.get(other) ?? []];
    return ofOne.flatMap((a) => ofOther.map((b) => Math.round(this.total * a * b)));
  }

  private connect([one, other]: Pair): void {
    const [kept, joined] = [this.trees[one], this.trees[other]];
    this.trees.forEach((tree, attribute) => {
      if (tree === joined && kept !== undefined) this.trees[attribute] = kept;
    });
  }
}
