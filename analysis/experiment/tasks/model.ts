import { fittedOdds } from './fitted-odds';
import { areaUnderCurve, calibration, excess, logLoss, type Predicted } from './prediction';
import type { Task, TaskInput } from './task';
import { sumsOfCells } from './true-sums';

/** The cells with what the model predicts for them. @param sums it is fitted to these */
function predicted({ cells }: TaskInput, sums: TaskInput['sums']): readonly Predicted[] {
  const odds = fittedOdds(cells, sums);
  return cells.map((cell, index) => ({ ...cell, odds: odds[index] ?? 0 }));
}

const ofEstimates = (input: TaskInput): readonly Predicted[] => predicted(input, input.sums);

/** For each column, the true conversions of its values. A source that converts twice counts once. */
const trueSums = (input: TaskInput): TaskInput['sums'] =>
  sumsOfCells(input, ({ truth, sources }) => Math.min(truth, sources));

/** Above that of the same model fitted to the truth, in percent of it. */
const excessLoss = (input: TaskInput): number =>
  excess(logLoss(ofEstimates(input)), logLoss(predicted(input, trueSums(input))));

export const model: Task = {
  title: 'Train a model with features',
  what: 'A logistic regression has a weight for each value of each column. It is fitted to the estimated conversions of these values (Xᵀy), and its log loss is compared with that of the same model fitted to the true conversions.',
  needsFeatures: true,
  measures: 'conversions',
  numbers: {
    'log loss above that of the true labels, %': excessLoss,
    AUC: (input) => areaUnderCurve(ofEstimates(input)),
    calibration: (input) => calibration(ofEstimates(input)),
  },
};
