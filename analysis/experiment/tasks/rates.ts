import { rateOf, type Task, type TaskGroup } from './task';

/** The mean over sources of −ln of the probability of what happened, in nats. */
function logLoss(groups: readonly TaskGroup[], rates: readonly number[]): number {
  const sources = groups.reduce((sum, group) => sum + group.sources, 0);
  const loss = groups.reduce((sum, group, index) => {
    const rate = rates[index] ?? 1 / 2;
    const converted = convertedOf(group);
    return sum - converted * Math.log(rate) - (group.sources - converted) * Math.log(1 - rate);
  }, 0);
  return loss / sources;
}

/** A source that converts twice counts once. */
const convertedOf = ({ truth, sources }: TaskGroup): number => Math.min(truth, sources);

const predicted = (groups: readonly TaskGroup[]): readonly number[] =>
  groups.map((group) => rateOf(group.estimate, group));

/** Above that of the true rates, in percent of it. */
function excessLoss(groups: readonly TaskGroup[]): number {
  const least = logLoss(
    groups,
    groups.map((group) => rateOf(group.truth, group)),
  );
  return (100 * (logLoss(groups, predicted(groups)) - least)) / least;
}

/** The probability that a source that converted has a higher rate than one that did not; equal rates count half. */
function areaUnderCurve(groups: readonly TaskGroup[]): number {
  const rates = predicted(groups);
  let [right, pairs] = [0, 0];
  groups.forEach((one, index) =>
    groups.forEach((other, place) => {
      const count = convertedOf(one) * (other.sources - convertedOf(other));
      pairs += count;
      right += (count * (1 + Math.sign((rates[index] ?? 0) - (rates[place] ?? 0)))) / 2;
    }),
  );
  return right / pairs;
}

/** Predicted conversions over true ones. */
function calibration(groups: readonly TaskGroup[]): number {
  const rates = predicted(groups);
  const expected = groups.reduce((sum, { sources }, index) => sum + (rates[index] ?? 0) * sources, 0);
  return expected / groups.reduce((sum, group) => sum + convertedOf(group), 0);
}

export const rates: Task = {
  title: 'Predict conversions',
  what: 'The model predicts the estimated conversion rate of its campaign for each source. Its log loss is compared with that of the true rates.',
  numbers: { 'log loss above the least, %': excessLoss, AUC: areaUnderCurve, calibration },
};
