import { NO_SUMS, outcomeOf, Run, together, type Sums } from '../../../bench/trial-outcome';
import { measuredRuns } from '../../../bench/trial-settings';
import { SETTINGS } from '../../../bench/trial-table';

test('runs that are measured in parts give what they give together', () => {
  const setting = SETTINGS.find(({ name }) => name === 'views, ε = 3, 1 of 10 converts');
  if (setting === undefined) throw new Error('there must be a setting of few views');
  const [whole, first, rest] = [
    [0, 5],
    [0, 2],
    [2, 5],
  ].map(([from, to]) => measuredRuns(setting, from ?? NaN, to ?? NaN).get('level 0, conversions')?.shown);
  if (whole === undefined || first === undefined || rest === undefined) throw new Error('all are measured');
  expect(whole.runs).toBe(5);
  const sum = together(first, rest);
  for (const name of Object.keys(NO_SUMS) as (keyof Sums)[]) expect(sum[name]).toBeCloseTo(whole[name], 9);
});

/** Runs with the numbers of their intervals that hold the truth and that do not. */
function runs(all: readonly (readonly [held: number, missed: number])[]): Sums {
  return all.reduce((sums, [held, missed]) => {
    const run = new Run();
    for (let one = 0; one < held; one++) run.add(5, 6, [4, 8]);
    for (let one = 0; one < missed; one++) run.add(5, 8, [6, 9]);
    return run.addedTo(sums);
  }, NO_SUMS);
}

test('the error of a share is that of a binomial number if runs have one group', () => {
  const { coverage, bias, error, width } = outcomeOf(
    runs([...Array<[number, number]>(15).fill([1, 0]), ...Array<[number, number]>(5).fill([0, 1])]),
  );
  expect(coverage.value).toBeCloseTo(0.75, 12);
  expect(coverage.uncertain).toBeCloseTo(Math.sqrt((0.75 * 0.25) / 20), 12);
  expect(bias).toBeCloseTo((15 + 5 * 3) / 20, 12);
  expect(error).toBeCloseTo(Math.sqrt((15 + 5 * 9) / 20), 12);
  expect(width).toBeCloseTo((15 * 4 + 5 * 3) / 20, 12);
});

test('groups of one run that are right and wrong together say no more than one', () => {
  const alone = outcomeOf(
    runs([
      [1, 0],
      [0, 1],
      [1, 0],
      [1, 0],
    ]),
  ).coverage;
  const alike = outcomeOf(
    runs([
      [10, 0],
      [0, 10],
      [10, 0],
      [10, 0],
    ]),
  ).coverage;
  expect(alike.uncertain).toBeCloseTo(alone.uncertain, 12);
  const opposite = outcomeOf(
    runs([
      [5, 5],
      [5, 5],
      [5, 5],
      [5, 5],
    ]),
  ).coverage;
  expect(opposite.uncertain).toBeCloseTo(0, 12);
});
