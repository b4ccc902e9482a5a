import { areaUnderCurve, calibration, excess, logLoss, oddsOf, type Predicted } from './prediction';
import { estimatedRate, rateOf, type Task, type TaskGroup, type TaskInput } from './task';

/** If the API says nothing about a group, the model predicts the rate of the others, or of all if it says nothing about any. */
function predicted({ groups }: TaskInput): readonly Predicted[] {
  const known = groups.filter((group) => estimatedRate(group) !== null);
  const counted = known.length === 0 ? groups : known;
  const sum = (of: (group: TaskGroup) => number): number =>
    counted.reduce((total, group) => total + of(group), 0);
  const overall = rateOf(
    sum(({ estimate }) => estimate),
    { sources: sum(({ sources }) => sources) },
  );
  return groups.map((group) => ({ ...group, odds: oddsOf(estimatedRate(group) ?? overall) }));
}

/** Above that of the true rates, in percent of it. */
const excessLoss = (input: TaskInput): number =>
  excess(
    logLoss(predicted(input)),
    logLoss(input.groups.map((group) => ({ ...group, odds: oddsOf(rateOf(group.truth, group)) }))),
  );

export const rates: Task = {
  title: 'Predict conversions',
  what: 'The model predicts the estimated conversion rate of its campaign for each source. Its log loss is compared with that of the true rates.',
  needsFeatures: false,
  measures: 'conversions',
  numbers: {
    'log loss above the least, %': excessLoss,
    AUC: (input) => areaUnderCurve(predicted(input)),
    calibration: (input) => calibration(predicted(input)),
  },
};
