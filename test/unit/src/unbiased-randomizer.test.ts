import { outputsFor } from '../../../src/privacy/finite-distribution';
import { Rational, sum } from '../../../src/privacy/rational';
import { unbiasedRandomizer } from '../../../src/privacy/unbiased-randomizer';
import { minimise, type Column } from '../helpers/exact-simplex';
import { fits, instances } from '../helpers/mechanisms';
import { isLong } from '../helpers/is-long';
import { exponentialFloor } from '../helpers/random';
import { checkExactly, falling, upTo } from '../helpers/unbiased';

/** Σ p·E[(o − y)²] of randomized response whose outputs are moved so that it is unbiased. */
function debiasedResponseVariance(
  values: readonly number[],
  prior: readonly number[],
  epsilon: number,
): number {
  const k = values.length;
  const e = Math.exp(epsilon);
  const total = values.reduce((a, b) => a + b, 0);
  const outputs = values.map((value) => ((e + k - 1) * value - total) / (e - 1));
  return values.reduce(
    (variance, truth, input) =>
      variance +
      (prior[input] ?? 0) *
        outputs.reduce(
          (sum, output, index) => sum + ((index === input ? e : 1) / (e + k - 1)) * (output - truth) ** 2,
          0,
        ),
    0,
  );
}

describe('on random instances', () => {
  const draw = instances('unbiased');
  const cases = Array.from({ length: isLong ? 40 : 8 }, () => {
    const size = 1 + draw(6);
    const parts = Array.from({ length: size }, () => 1 + draw(9));
    const total = parts.reduce((a, b) => a + b, 0);
    let value = draw(20) - 10;
    const values = Array.from({ length: size }, () => (value += 1 + draw(12)) / 4);
    return {
      values,
      parts,
      total,
      prior: parts.map((part) => `${part}/${total}`),
      epsilon: (1 + draw(32)) / 8,
    };
  });

  test.each(cases)('$values with $prior at ε = $epsilon', ({ values, parts, total, prior, epsilon }) => {
    const mechanism = unbiasedRandomizer(values, prior, epsilon);
    const rows = values.map((_, input) => mechanism.probabilities(input));

    // Exactly a distribution, exactly unbiased.
    rows.forEach((row, input) => {
      expect(row.every((probability) => probability.sign >= 0n)).toBe(true);
      expect(sum(row).equals(Rational.ONE)).toBe(true);
      const mean = sum(
        row.map((probability, index) => probability.times(mechanism.outputs[index] ?? Rational.ZERO)),
      );
      expect(mean.equals(Rational.of(values[input] ?? NaN))).toBe(true);
    });

    // Provably private: not even e^ε rounded down is exceeded.
    const limit = Rational.fraction(exponentialFloor(epsilon, 200), 1n << 200n);
    for (const row of rows)
      for (const other of rows)
        row.forEach((probability, index) =>
          expect(probability.compare(limit.times(other[index] ?? Rational.ZERO)) <= 0n).toBe(true),
        );

    // As good as debiased randomized response at least, which loses by e^ε being rounded up at the 16th digit only.
    const response = debiasedResponseVariance(
      values,
      parts.map((part) => part / total),
      epsilon,
    );
    expect(mechanism.variance.toNumber()).toBeLessThanOrEqual(response * (1 + 1e-9));
    const variance = rows.map((row, input) =>
      row.reduce(
        (square, probability, index) =>
          square +
          probability.toNumber() *
            ((mechanism.outputs[index]?.toNumber() ?? NaN) - (values[input] ?? NaN)) ** 2,
        0,
      ),
    );
    const weighted = variance.reduce((a, b, input) => a + (b * (parts[input] ?? 0)) / total, 0);
    expect(Math.abs(mechanism.variance.toNumber() - weighted)).toBeLessThanOrEqual(1e-9 * (1 + weighted));
  });
});

test('three values gain clearly over debiased randomized response', () => {
  const third = ['1/3', '1/3', '1/3'];
  const response = debiasedResponseVariance([0, 1, 2], [1 / 3, 1 / 3, 1 / 3], 0.5);
  expect(unbiasedRandomizer([0, 1, 2], third, 0.5).variance.toNumber()).toBeLessThan(0.8 * response);
});

test('many draws fit the probabilities, and those of 10 % less noise do not', () => {
  const prior = ['0.4', '0.3', '0.2', '0.1'];
  const mechanism = unbiasedRandomizer([0, 1, 2, 5], prior, 1);
  const expected = mechanism.probabilities(2).map((probability) => probability.toNumber());
  const indices = mechanism.outputs.map((_, index) => index);
  expect(fits(expected, outputsFor({ outputs: indices, weights: mechanism.weights }, 2))).toBe(true);
  const less = unbiasedRandomizer([0, 1, 2, 5], prior, 1.1);
  const nearest = less.outputs.map((output) => {
    const distances = mechanism.outputs.map((other) => Math.abs(other.minus(output).toNumber()));
    return distances.indexOf(Math.min(...distances));
  });
  expect(fits(expected, outputsFor({ outputs: nearest, weights: less.weights }, 2))).toBe(false);
});

describe('the optimum over all real outputs', () => {
  // Least variances over a grid of 64 steps, as the linear programme had it before. The outputs that are best lie between its steps.
  test.each([
    [5, 0.26],
    [6, 0.1045],
  ])('is below that over a coarse grid, at ε = %p', (epsilon, onGrid) => {
    const { variance, gap } = unbiasedRandomizer(
      [0, 1, 2, 3, 4, 5],
      [0.5, 0.2, 0.1, 0.1, 0.05, 0.05],
      epsilon,
    );
    expect(variance.toNumber()).toBeLessThan(onGrid);
    expect(gap.sign > 0n).toBe(true);
    expect(gap.over(variance).toNumber()).toBeLessThan(1e-4);
  });

  /**
   * The least variance over outputs from `from` to `to` in steps of 1/`fine`, written down anew: every output with every pattern of e^−ε and
   * 1 is a column. The first columns are too expensive to stay.
   */
  function onGrid(
    values: readonly number[],
    prior: readonly number[],
    epsilon: number,
    [from, to, fine]: readonly [number, number, number],
  ): number {
    const precision = 10 ** 9;
    const [q, whole] = [Math.floor(Math.exp(-epsilon) * precision), precision];
    const truths = values.map((value) => (value - from) * fine);
    const columns: Column[] = [];
    for (let output = 0; output <= (to - from) * fine; output++)
      for (let pattern = 0; pattern < 2 ** values.length; pattern++) {
        const levels = values.map((_, input) => ((pattern >> input) % 2 === 1 ? whole : q));
        const cost = levels.reduce(
          (sum, level, input) =>
            sum + level * Math.round((prior[input] ?? 0) * 1000) * (output - (truths[input] ?? 0)) ** 2,
          0,
        );
        columns.push({
          entries: [...levels, ...levels.map((level) => level * output)].map(BigInt),
          cost: BigInt(cost),
        });
      }
    const side = [...values.map(() => precision), ...truths.map((truth) => truth * precision)].map(BigInt);
    const start = side.map((_, row) => ({
      entries: side.map((_side, other) => (row === other ? 1n : 0n)),
      cost: 10n ** 12n,
    }));
    const price = (column: Column, rows: readonly bigint[], denominator: bigint): bigint =>
      column.entries.reduce((sum, entry, row) => sum - entry * (rows[row] ?? 0n), column.cost * denominator);
    const { columns: found, denominator } = minimise<Column>(side, start, (prices) => {
      let best: { readonly column: Column; readonly price: bigint } | null = null;
      for (const column of columns) {
        const own = price(column, prices.rows, prices.denominator);
        if (own < (best?.price ?? 0n)) best = { column, price: own };
      }
      return best?.column ?? null;
    });
    const total = found.reduce((sum, { column, amount }) => sum + column.cost * amount, 0n);
    return Rational.fraction(total, denominator * BigInt(precision) * 1000n * BigInt(fine) ** 2n).toNumber();
  }

  test.each([0.5, 1, 3, 5])(
    'is not beaten by all patterns on a grid, and a finer grid comes closer, at ε = %p',
    (epsilon) => {
      const [values, prior] = [
        [0, 1, 3],
        [0.6, 0.3, 0.1],
      ];
      const { variance, gap, outputs } = unbiasedRandomizer(values, prior, epsilon);
      const least = Math.floor(Math.min(...outputs.map((output) => output.toNumber())));
      const most = Math.ceil(Math.max(...outputs.map((output) => output.toNumber())));
      const bound = variance.minus(gap).toNumber() * (1 - 1e-6);
      const [coarse, fine] = [4, 16].map((steps) => onGrid(values, prior, epsilon, [least, most, steps]));
      expect(fine).toBeGreaterThan(bound);
      expect(coarse).toBeGreaterThanOrEqual((fine ?? 0) * (1 - 1e-9));
      expect((fine ?? 0) / variance.toNumber()).toBeLessThan(1.02);
    },
  );
});

describe('the exact simplex method', () => {
  /** The least cost over all pairs of columns that solve the two rows with amounts of at least 0. */
  function exhaustive(columns: readonly Column[], side: readonly [bigint, bigint]): Rational | null {
    let best: Rational | null = null;
    for (const a of columns)
      for (const b of columns) {
        const [a0, a1, b0, b1] = [...a.entries, ...b.entries] as [bigint, bigint, bigint, bigint];
        const determinant = a0 * b1 - a1 * b0;
        if (determinant === 0n) continue;
        const x = Rational.fraction(side[0] * b1 - side[1] * b0, determinant);
        const y = Rational.fraction(a0 * side[1] - a1 * side[0], determinant);
        if (x.sign < 0n || y.sign < 0n) continue;
        const cost = x.times(Rational.of(a.cost)).plus(y.times(Rational.of(b.cost)));
        if (best === null || cost.compare(best) < 0n) best = cost;
      }
    return best;
  }

  test('finds the optimum of 500 random programmes', () => {
    const draw = instances('simplex');
    for (let run = 0; run < 500; run++) {
      const start = [0, 1].map((row) => ({
        entries: [0, 1].map((other) => (row === other ? 1n : 0n)),
        cost: BigInt(draw(30)),
      }));
      const columns = Array.from({ length: 3 + draw(5) }, () => ({
        entries: [BigInt(draw(7) - 2), BigInt(draw(7) - 2)],
        cost: BigInt(draw(20)), // not negative, so that the optimum is finite
      })).filter(({ entries: [x, y] }) => x !== 0n || y !== 0n);
      const side = [BigInt(draw(6)), BigInt(draw(6))] as const;
      const all = [...start, ...columns];
      const solution = minimise<Column>(side, start, ({ rows, denominator }) => {
        const price = ({ entries, cost }: Column): bigint =>
          cost * denominator - entries.reduce((total, entry, row) => total + entry * (rows[row] ?? 0n), 0n);
        return all.find((column) => price(column) < 0n) ?? null;
      });
      const total = solution.columns.reduce((cost, { column, amount }) => cost + column.cost * amount, 0n);
      expect(String(Rational.fraction(total, solution.denominator))).toBe(String(exhaustive(all, side)));
    }
  });
});

describe('all rows of many values are exact, and nearly the best', () => {
  test.each([
    [7, 0.5],
    [12, 8],
    [20, 3],
    [50, 1],
  ])('%p values at ε = %p', (count, epsilon) => {
    const { variance, gap } = checkExactly(upTo(count), falling(count), epsilon);
    expect(gap.over(variance).toNumber()).toBeLessThan(1e-4);
  });
});

test.each([1e-6, 1e-4, 14])('the gap is certified for an ε at an end of the range: %p', (epsilon) => {
  for (const count of [3, 5]) {
    const { variance, gap } = checkExactly(upTo(count), falling(count), epsilon);
    expect(gap.over(variance).toNumber()).toBeLessThan(1e-4);
  }
});

test('each round of the search is told, with a gap that ends as small as the certified one', () => {
  const rounds: { readonly round: number; readonly gap: number }[] = [];
  const { variance, gap } = unbiasedRandomizer(upTo(12), falling(12), 8, (found) => rounds.push(found));
  expect(rounds.map(({ round }) => round)).toEqual(rounds.map((_, index) => index + 1));
  expect(rounds.at(-1)?.gap).toBeCloseTo(gap.over(variance).toNumber(), 12);
});

test.each([1e-40, 1e-9, 30])(
  'an ε for which doubles are too coarse leaves all exact, and the gap honest: %p',
  (epsilon) => {
    const { variance, gap } = checkExactly([0, 1, 5], ['1/2', '1/4', '1/4'], epsilon);
    expect(gap.sign >= 0n && gap.compare(variance) <= 0n).toBe(true);
  },
);

test.each([
  [3, 20],
  [3, 24],
  [3, 30],
  [12, 1e-10],
])('the search ends soon where doubles are too coarse: %p values at ε = %p', (count, epsilon) => {
  let rounds = 0;
  unbiasedRandomizer(upTo(count), falling(count), epsilon, () => (rounds += 1));
  expect(rounds).toBeLessThanOrEqual(4);
});

test('the search goes on where the first rounds end farther away than it began, but ever nearer', () => {
  const gaps: number[] = [];
  unbiasedRandomizer(upTo(60), falling(60), 14, ({ gap }) => gaps.push(gap));
  expect(gaps[2]).toBe(gaps[0]);
  expect(gaps.at(-1)).toBeLessThan(1e-4);
});

test.each([
  [4, 5],
  [7, 8],
  [41, 14],
])(
  'where unbiased randomized response is the best, its own prices prove that without a search: %p values at ε = %p',
  (count, epsilon) => {
    let rounds = 0;
    const { variance, gap, outputs } = unbiasedRandomizer(upTo(count), falling(count), epsilon, () => {
      rounds += 1;
    });
    expect([rounds, outputs.length]).toEqual([0, count]);
    expect(gap.over(variance).toNumber()).toBeLessThan(1e-6);
    const prior = falling(count).map((share) => Rational.of(share).toNumber());
    const known = debiasedResponseVariance(upTo(count), prior, epsilon);
    expect(Math.abs(variance.toNumber() / known - 1)).toBeLessThan(1e-6);
  },
);

test('one value is its own output', () => {
  const { variance, gap, outputs } = checkExactly([7], [1], 1);
  expect([variance, gap, ...outputs].map(String)).toEqual(['0', '0', '7']);
});

test('values in any order, and such with a prior of 0, have unbiased outputs', () => {
  const { gap } = checkExactly([5, 0, 1, 100], ['1/2', '1/4', '1/4', 0], 2);
  expect(gap.sign >= 0n).toBe(true);
});

test('more values than the solver manages are refused at once', () => {
  expect(() => unbiasedRandomizer(upTo(402), falling(402), 1)).toThrow(
    /"code":"too-many-items".*"max":401,"count":402/,
  );
});
