import {
  cappedRows,
  measureMarginals,
  peopleByRows,
  rowsOf,
  SHARES,
  type MarginalPlan,
  type Marginals,
  type Pair,
  type Row,
} from '../../../analysis/synthetic/private-marginals';
import { apportioned, onSimplex } from '../../../analysis/synthetic/simplex';
import { TreeModel } from '../../../analysis/synthetic/tree-model';
import { seededRandomSource } from '../../../analysis/random/sources';

type People = readonly (readonly Row[])[];

const plan: MarginalPlan = { sizes: [2, 2, 2, 3], kept: [0, 1], mostRows: 2, epsilon: '1' };

/** All rows of the domain. */
const allRows = plan.sizes.reduce<readonly (readonly number[])[]>(
  (rows, size) => rows.flatMap((row) => Array.from({ length: size }, (_, value) => [...row, value])),
  [[]],
);

/* An independent account of how probable a result is, in doubles, written from the definitions alone. */

const logLaplace = (noise: number, scale: number): number =>
  Math.log(Math.tanh(1 / (2 * scale))) - Math.abs(noise) / scale;

const cells = (sizes: readonly number[], of: readonly number[]): readonly (readonly number[])[] =>
  of.reduce<readonly (readonly number[])[]>(
    (found, attribute) =>
      found.flatMap((cell) => Array.from({ length: sizes[attribute] ?? 0 }, (_, value) => [...cell, value])),
    [[]],
  );

const count = (people: People, of: readonly number[], cell: readonly number[]): number =>
  people.flat().filter((row) => of.every((attribute, index) => row[attribute] === cell[index])).length;

function logOfCounts(
  people: People,
  of: readonly number[],
  counts: readonly number[],
  scale: number,
): number {
  return cells(plan.sizes, of).reduce(
    (sum, cell, index) => sum + logLaplace((counts[index] ?? NaN) - count(people, of, cell), scale),
    0,
  );
}

const EPSILON = 1;
const shareOf = (hundredths: bigint, parts = 1): number => (EPSILON * Number(hundredths)) / 100 / parts;

/** Noisy counts as shares; negative ones are 0, and the excess is taken from all others alike, again and again. */
function sharesOf(counts: readonly number[]): readonly number[] {
  const whole = counts.reduce((sum, each) => sum + each, 0);
  if (whole <= 0) return counts.map(() => 1 / counts.length);
  let left = [...counts];
  for (;;) {
    const positive = left.filter((each) => each > 0);
    const excess = (positive.reduce((sum, each) => sum + each, 0) - whole) / positive.length;
    if (excess < 1e-12) return left.map((each) => Math.max(0, each) / whole);
    left = left.map((each) => (each > 0 ? each - excess : 0));
  }
}

/** The score of each pair that joins two trees, and 0 for none. */
function scoresOf(people: People, measured: Marginals, before: readonly Pair[]): Map<string, number> {
  const trees = plan.sizes.map((_, attribute) => attribute);
  for (const [one, other] of before)
    trees.splice(
      0,
      trees.length,
      ...trees.map((tree) => (tree === trees[other] ? (trees[one] ?? -1) : tree)),
    );
  const ones = new Map(measured.ones.map(({ of, counts }) => [of, counts]));
  const kept = measured.pairs[0]?.counts ?? [];
  ones.set(0, [(kept[0] ?? 0) + (kept[1] ?? 0), (kept[2] ?? 0) + (kept[3] ?? 0)]);
  ones.set(1, [(kept[0] ?? 0) + (kept[2] ?? 0), (kept[1] ?? 0) + (kept[3] ?? 0)]);
  const total = Math.max(
    0,
    kept.reduce((a, b) => a + b, 0),
  );
  const found = new Map([['none', 0]]);
  for (let other = 0; other < trees.length; other++)
    for (let one = 0; one < other; one++) {
      if (trees[one] === trees[other]) continue;
      const [a, b] = [sharesOf(ones.get(one) ?? []), sharesOf(ones.get(other) ?? [])];
      const all = cells(plan.sizes, [one, other]);
      const distance = all.reduce(
        (sum, cell) =>
          sum +
          Math.abs(
            count(people, [one, other], cell) -
              Math.round(total * (a[cell[0] ?? 0] ?? 0) * (b[cell[1] ?? 0] ?? 0)),
          ),
        0,
      );
      const noise = plan.mostRows / shareOf(SHARES.pairs, 2);
      found.set(`${one} ${other}`, distance - Math.round(noise * all.length));
    }
  return found;
}

/** ln of the probability of a result. */
function logProbability(people: People, measured: Marginals): number {
  const numbers = [1, 2].map((rows) => people.filter((own) => own.length === rows).length);
  let sum = numbers.reduce(
    (all, number, index) =>
      all + logLaplace((measured.people.counts[index] ?? NaN) - number, 1 / shareOf(SHARES.people)),
    0,
  );
  const chosen = measured.pairs.slice(1);
  for (const { of, counts } of measured.ones)
    sum += logOfCounts(people, [of], counts, plan.mostRows / shareOf(SHARES.ones, 2));
  for (const [index, { of, counts }] of measured.pairs.entries())
    sum += logOfCounts(
      people,
      of,
      counts,
      plan.mostRows / (index === 0 ? shareOf(SHARES.kept) : shareOf(SHARES.pairs, 2)),
    );
  for (let round = 0; round < 2 && round <= chosen.length; round++) {
    const scores = scoresOf(
      people,
      measured,
      measured.pairs.slice(0, round + 1).map(({ of }) => of),
    );
    const rate = shareOf(SHARES.choices, 2) / (2 * plan.mostRows);
    const name = chosen[round]?.of.join(' ') ?? 'none';
    const whole = [...scores.values()].reduce((all, score) => all + Math.exp(rate * score), 0);
    sum += rate * (scores.get(name) ?? NaN) - Math.log(whole);
  }
  return sum;
}

/** Rows in which attributes depend on each other, so that pairs are chosen. */
const related: People = Array.from({ length: 48 }, (_, number) => [
  [number % 2, number % 2, number % 2, number % 3],
  ...(number % 5 === 0 ? [[number % 2, 0, number % 2, number % 3]] : []),
]);

describe('ε', () => {
  const worlds: readonly (readonly [string, People])[] = [
    ['nobody', []],
    ['one person', [[[0, 0, 0, 0]]]],
    ['48 people', related],
  ];
  /** Everything that one person can be. */
  const persons = [
    ...allRows.map((row) => [row]),
    ...allRows.flatMap((row, index) => allRows.slice(index).map((other) => [row, other])),
  ];

  test.each(worlds)('no person added to %s changes the chance of a result by more than ε', (name, people) => {
    let most = 0;
    const numbers = new Set<number>();
    for (let run = 0; run < 8; run++) {
      // Results of both worlds: either may be the unlikelier one.
      const random = seededRandomSource(`marginals of ${name}`, run);
      const measured = measureMarginals(
        run % 2 === 0 ? people : [...people, persons[run] ?? []],
        plan,
        random,
      );
      numbers.add(measured.pairs.length);
      const without = logProbability(people, measured);
      for (const person of persons) {
        const loss = Math.abs(logProbability([...people, person], measured) - without);
        most = Math.max(most, loss);
      }
    }
    expect(most).toBeLessThanOrEqual(EPSILON + 1e-9);
    // Otherwise ε would be wasted. Choices rarely lose all that they may.
    expect(most).toBeGreaterThan(0.85);
  });

  test('the shares are all of ε', () => {
    expect(Object.values(SHARES).reduce<bigint>((a, b) => a + b, 0n)).toBe(100n);
  });

  test.each([0, 3])('a person with %d rows is refused: the noise hides one or two', (count) => {
    const person = allRows.slice(0, count);
    for (const random of [null, seededRandomSource('refused', 0)])
      expect(() => measureMarginals([...related, person], plan, random)).toThrow(
        `a person must have 1 to 2 rows, one has ${count}`,
      );
  });

  test('a person who has more rows than count is no more than those that do', () => {
    const rows = allRows.slice(0, 5);
    const seen = new Set<string>();
    for (let run = 0; run < 400; run++) {
      const kept = cappedRows(rows, 2, seededRandomSource('capped', run));
      expect(kept).toHaveLength(2);
      seen.add(JSON.stringify(kept));
    }
    // Each of the ten pairs has a chance of 1/10: one is missing with a probability below 10 · 0.9^400 < 1e-17.
    expect(seen.size).toBe(10);
  });
});

describe('without noise', () => {
  const measured = measureMarginals(related, plan, null);
  const total = rowsOf(peopleByRows(measured));

  test('counts are exact, and the pairs are those that depend on each other', () => {
    expect(total).toBe(related.flat().length);
    expect(peopleByRows(measured)).toEqual([38, 10]);
    expect(measured.pairs.map(({ of }) => of)).toContainEqual([0, 2]);
    expect(measured.pairs[0]?.counts).toEqual(
      cells(plan.sizes, [0, 1]).map((cell) => count(related, [0, 1], cell)),
    );
  });

  test('synthetic rows have exactly the counts of the kept pair, and about those of the others', () => {
    const rows = new TreeModel(measured, plan.sizes, total).rows(seededRandomSource('tree', 0), () => true);
    const synthetic: People = rows.map((row) => [row]);
    for (const cell of cells(plan.sizes, [0, 1]))
      expect(count(synthetic, [0, 1], cell)).toBe(count(related, [0, 1], cell));
    // Attributes 0 and 2 are the same in all rows.
    for (const cell of [
      [0, 1],
      [1, 0],
    ])
      expect(count(synthetic, [0, 2], cell)).toBeLessThanOrEqual(1);
  });

  test('the distribution is the product of the pairs over what they share, as for a Markov chain', () => {
    // 0–1 is kept; 0–2 and 2–3 are chosen, as the rows are such a chain.
    const chain: People = Array.from({ length: 3000 }, (_, number): readonly Row[] => {
      const first = number % 2;
      const third = number % 10 < 8 ? first : 1 - first;
      const fourth = number % 7 < 5 ? third * 2 : 1;
      return [[first, number % 4 < 3 ? first : 1 - first, third, fourth]];
    });
    const found = measureMarginals(chain, { ...plan, mostRows: 1 }, null);
    const rows = new TreeModel(found, plan.sizes, chain.length).rows(
      seededRandomSource('tree', 1),
      () => true,
    );
    const synthetic: People = rows.map((row) => [row]);
    for (const { of } of found.pairs)
      for (const cell of cells(plan.sizes, of)) {
        // Six standard deviations of a binomial number are at most 6 · √3000/2 < 165: below 1e-8 for each of 16 cells.
        expect(Math.abs(count(synthetic, of, cell) - count(chain, of, cell))).toBeLessThan(165);
      }
  });
});

test('the nearest point of a simplex: no other point is nearer', () => {
  const given = [5, -3, 0.5, 2];
  const found = onSimplex(given, 4);
  expect(found.reduce((a, b) => a + b)).toBeCloseTo(4, 12);
  const distance = (point: readonly number[]): number =>
    point.reduce((sum, value, index) => sum + (value - (given[index] ?? 0)) ** 2, 0);
  for (let a = 0; a <= 16; a++)
    for (let b = 0; a + b <= 16; b++)
      for (let c = 0; a + b + c <= 16; c++)
        expect(distance([a / 4, b / 4, c / 4, (16 - a - b - c) / 4])).toBeGreaterThanOrEqual(
          distance(found) - 1e-12,
        );
});

test('whole numbers keep the sum', () => {
  expect(apportioned([1.5, 2.5, 0.25, 0.75])).toEqual([2, 2, 0, 1]);
});
