import { areaUnderCurve, calibration, excess, logLoss, type Predicted } from './prediction';
import { rateOf, type Task, type TaskInput } from './task';

const predicted = ({ groups }: TaskInput): readonly Predicted[] =>
  groups.map((group) => ({ ...group, rate: rateOf(group.estimate, group) }));

/** Above that of the true rates, in percent of it. */
const excessLoss = (input: TaskInput): number =>
  excess(
    logLoss(predicted(input)),
    logLoss(input.groups.map((group) => ({ ...group, rate: rateOf(group.truth, group) }))),
  );

export const rates: Task = {
  title: 'Predict conversions',
  what: 'The model predicts the estimated conversion rate of its campaign for each source. Its log loss is compared with that of the true rates.',
  needsFeatures: false,
  numbers: {
    'log loss above the least, %': excessLoss,
    AUC: (input) => areaUnderCurve(predicted(input)),
    calibration: (input) => calibration(predicted(input)),
  },
};
