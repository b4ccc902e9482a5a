import { fittedValues } from './fitted-values';
import { ROUNDING } from './prediction';
import { sumsOfTruth } from './true-sums';
import type { FeatureCell, Task, TaskInput } from './task';

const predicted = ({ cells, mostValue }: TaskInput, sums: TaskInput['sums']): readonly number[] =>
  fittedValues(cells, sums, mostValue ?? NaN);

const total = (cells: readonly FeatureCell[], of: (cell: FeatureCell, index: number) => number): number =>
  cells.reduce((sum, cell, index) => sum + of(cell, index), 0);

const meanTruth = (cells: readonly FeatureCell[]): number =>
  total(cells, ({ truth }) => truth) / total(cells, ({ sources }) => sources);

/** The root mean square over sources of the distance to what the same model predicts after the truth, in percent of the mean value. */
function error(input: TaskInput): number {
  const { cells } = input;
  const found = predicted(input, input.sums);
  const right = predicted(input, sumsOfTruth(input));
  const squares = total(
    cells,
    ({ sources }, index) => sources * ((found[index] ?? NaN) - (right[index] ?? NaN)) ** 2,
  );
  return (100 * Math.sqrt(squares / total(cells, ({ sources }) => sources))) / meanTruth(cells);
}

/** Predicted value over the true one. */
function calibration(input: TaskInput): number {
  const found = predicted(input, input.sums);
  return (
    total(input.cells, ({ sources }, index) => sources * (found[index] ?? NaN)) /
    total(input.cells, ({ truth }) => truth)
  );
}

/**
 * In percent of the pairs of cells that the same model tells apart after the truth; equal predictions are wrong half of the time. An order is what
 * somebody would act on, so no interval decides it: the truth does, and the repetitions say how often it is wrong.
 */
function wrongPairs(input: TaskInput): number {
  const rounding = ROUNDING * (input.mostValue ?? NaN);
  const orderOf = (one: number, other: number): number =>
    Math.abs(one - other) <= rounding ? 0 : Math.sign(one - other);
  const found = predicted(input, input.sums);
  const right = predicted(input, sumsOfTruth(input));
  let [pairs, wrong] = [0, 0];
  right.forEach((one, index) => {
    for (let other = index + 1; other < right.length; other++) {
      const truth = orderOf(one, right[other] ?? 0);
      if (truth === 0) continue;
      pairs += 1;
      wrong += (1 - truth * orderOf(found[index] ?? 0, found[other] ?? 0)) / 2;
    }
  });
  return (100 * wrong) / Math.max(pairs, 1);
}

export const value: Task = {
  title: 'Predict the value of a source',
  what: 'A linear regression has a weight for each value of each column. It is fitted to the estimated sums of what conversions are worth (Xᵀy), and compared with the same model fitted to the true sums.',
  needsFeatures: true,
  measures: 'value',
  numbers: {
    'error of the predicted value, % of the mean': error,
    'pairs of cells in the wrong order, %': wrongPairs,
    'calibration of the value': calibration,
  },
};
