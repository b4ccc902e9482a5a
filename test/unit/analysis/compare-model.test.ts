import { fittedOdds } from '../../../analysis/experiment/tasks/fitted-odds';
import { model } from '../../../analysis/experiment/tasks/model';
import type { TaskInput } from '../../../analysis/experiment/tasks/task';
import { cells, sumsOf } from '../helpers/feature-cells';

const numbersOf = (input: Pick<TaskInput, 'cells' | 'sums'>): readonly number[] =>
  Object.values(model.numbers).map((numberOf) =>
    numberOf({ ...input, groups: [], confidence: 0.95, holdout: null, mostValue: null }),
  );

const rateOf = (odds: number): number => 1 / (1 + Math.exp(-odds));

test('a fit has the slope of a posterior with a standard normal prior: 0', () => {
  const sums = sumsOf(cells);
  const odds = fittedOdds(cells, sums);
  const whole = cells.reduce((sum, { sources }, cell) => sum + sources * rateOf(odds[cell] ?? NaN), 0);
  expect(whole).toBeCloseTo(
    cells.reduce((sum, { truth }) => sum + truth, 0),
    6,
  );
  // The prior alone decides the level of a column's weights: they add up to 0, and each is what its sum lacks.
  sums.forEach((byValue, column) => {
    const lacking = [...byValue].map(
      ([value, sum]) =>
        sum -
        cells.reduce(
          (all, { values, sources }, cell) =>
            values[column] === value ? all + sources * rateOf(odds[cell] ?? NaN) : all,
          0,
        ),
    );
    expect(lacking.reduce((all, one) => all + one, 0)).toBeCloseTo(0, 6);
    const [first, second] = [...byValue.keys()];
    const oddsOf = (value: string | undefined, other: string): number =>
      odds[cells.findIndex(({ values }) => values[column] === value && values[1 - column] === other)] ?? NaN;
    const other = column === 0 ? 'x' : 'a';
    expect((lacking[0] ?? NaN) - (lacking[1] ?? NaN)).toBeCloseTo(
      oddsOf(first, other) - oddsOf(second, other),
      6,
    );
  });
});

test('with one column the fitted conversions shrink towards the mean, by what the prior is worth', () => {
  const two = [
    { values: ['a'], sources: 1000, truth: 100 },
    { values: ['b'], sources: 1000, truth: 300 },
  ];
  const [a = NaN, b = NaN] = fittedOdds(two, [
    new Map([
      ['a', 100],
      ['b', 300],
    ]),
  ]).map((odds) => 1000 * rateOf(odds));
  expect(a + b).toBeCloseTo(400, 6);
  expect(a).toBeGreaterThan(100);
  // The weights are −w and w, so each sum lacks w: half of the difference of the log odds.
  expect(a - 100).toBeCloseTo((Math.log(b / (1000 - b)) - Math.log(a / (1000 - a))) / 2, 6);
});

test('noise beyond all sources, none at all, or different totals of the columns give finite numbers', () => {
  const [first = new Map<string, number>(), second = new Map<string, number>()] = sumsOf(cells);
  for (const factor of [-50, 0, 50])
    for (const other of [-50, 0, 1, 50]) {
      const scaled = (sums: ReadonlyMap<string, number>, by: number): ReadonlyMap<string, number> =>
        new Map([...sums].map(([value, sum]) => [value, sum * by]));
      const numbers = numbersOf({ cells, sums: [scaled(first, factor), scaled(second, other)] });
      for (const number of numbers) expect(Number.isFinite(number)).toBe(true);
    }
});

test('a column that is scaled up past the sources of a value gives finite numbers', () => {
  // All of `a` and nothing else in one column, everything in the other: their mean is far above the sources of `a`.
  const sums = sumsOf(cells).map(
    (byValue, column) =>
      new Map([...byValue.keys()].map((value) => [value, column === 1 || value === 'a' ? 1e6 : 0])),
  );
  for (const number of numbersOf({ cells, sums })) expect(Number.isFinite(number)).toBe(true);
  const scaled = cells.map((cell) => ({ ...cell, sources: 1e6 * cell.sources }));
  for (const number of numbersOf({
    cells: scaled,
    sums: sums.map((byValue) => new Map([...byValue].map(([value, sum]) => [value, 1e6 * sum]))),
  }))
    expect(Number.isFinite(number)).toBe(true);
});

test('the truth costs nothing; a column that was confused costs log loss', () => {
  const sums = sumsOf(cells);
  const [right] = numbersOf({ cells, sums });
  expect(right).toBeCloseTo(0, 9);
  const turned = sums.map((byValue) => {
    const values = [...byValue.values()].reverse();
    return new Map([...byValue.keys()].map((value, index) => [value, values[index] ?? 0]));
  });
  expect(numbersOf({ cells, sums: turned })[0]).toBeGreaterThan(0.1);
});
