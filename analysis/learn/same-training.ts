import type { Cell } from './cells';
import type { Examples } from './examples';
import { multiplicationsOf } from './feature-sums';
import { labelEpsilon } from './methods';
import { networkName } from './network-model';
import { hasStages, type Recipe } from './recipe';
import { BATCHES, TEACHERS } from './teachers';
import type { TrainingSettings } from './train';

/** Trainings with the same text are the same, bit for bit: their figures can share one. */
export function trainingOf({ recipe, seed }: Cell): string {
  const { method, epsilon, labelShare } = recipe;
  const isWithoutLabels = method === 'hybrid' && epsilon !== null && labelEpsilon(labelShare, epsilon) === 0;
  const same = isWithoutLabels ? { ...recipe, method: 'dp-sgd' as const, labelCap: null } : recipe;
  return JSON.stringify([same, seed]);
}

/** How many times as long as a logistic regression over all examples, as measured. */
const [OF_A_NETWORK, OF_SUMS, OF_CONVERSIONS, OF_FEATURE_SUMS] = [9, 3, 0.25, 3] as const;
/** In a solution of equations, for each example in a pass, as measured. */
const MULTIPLICATIONS = 125;

/** About how long a training takes, for the time left: in passes of a logistic regression over all examples. */
export function passesOf({ recipe }: Cell, data: Pick<Examples, 'count' | 'fields'>): number {
  const { method, training, privateTraining, model, examples } = recipe;
  const ofExamples = examples === 'conversions' ? OF_CONVERSIONS : 1;
  if (method === 'feature-sums')
    return OF_FEATURE_SUMS * ofExamples + multiplicationsOf(data.fields) / MULTIPLICATIONS / data.count;
  const { isOnLabels, isOnGradients } = partsOf(recipe);
  const passes = ({ epochs, steps, batch }: TrainingSettings, ofEpochs: number, ofSteps: number): number =>
    steps === undefined ? epochs * ofExamples * ofEpochs : ((steps * batch) / data.count) * ofSteps;
  const { ofEpochs, ofSteps } = trainingsIn(recipe);
  const all =
    (isOnLabels ? passes(training, ofEpochs, ofSteps) : 0) +
    (isOnGradients ? passes(privateTraining, 1, 1) : 0);
  return all * (model === 'network' ? OF_A_NETWORK : 1);
}

/** Trainings with the same text take the same time for a pass: they have the same steps, and as many examples take part. */
export function kindOfTraining({ recipe }: Cell): string {
  const { method, model, network, examples, unit, cap, stages } = recipe;
  const { isOnLabels, isOnGradients } = partsOf(recipe);
  const ofModel = model === 'network' ? networkName(network) : model;
  return JSON.stringify([method, ofModel, examples, unit, cap, stages, isOnLabels, isOnGradients]);
}

/** Whether it trains on labels, with gradients that have noise, or first with the one and then with the other. */
function partsOf({ method, epsilon, labelShare }: Recipe): {
  readonly isOnLabels: boolean;
  readonly isOnGradients: boolean;
} {
  const ofLabels = method === 'hybrid' && epsilon !== null ? labelEpsilon(labelShare, epsilon) : 0;
  return {
    isOnLabels: method !== 'dp-sgd' && (method !== 'hybrid' || ofLabels > 0),
    isOnGradients: method === 'dp-sgd' || (method === 'hybrid' && ofLabels < (epsilon ?? 0)),
  };
}

/** How many trainings on all examples those on labels are, with epochs and with steps. */
function trainingsIn(recipe: Recipe): { readonly ofEpochs: number; readonly ofSteps: number } {
  const { method, stages } = recipe;
  if (method === 'label-sums') return { ofEpochs: OF_SUMS, ofSteps: OF_SUMS };
  // Each teacher has its part of the examples.
  if (method === 'pate') return { ofEpochs: 1, ofSteps: (TEACHERS + 1) / BATCHES };
  if (!hasStages(recipe)) return { ofEpochs: 1, ofSteps: 1 };
  // A stage learns from the examples of all stages so far.
  const { count, split } = stages;
  return { ofEpochs: split === 'examples' ? (count + 1) / 2 : count, ofSteps: count };
}
