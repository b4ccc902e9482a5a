import type { Cell } from './cells';
import { labelEpsilon } from './methods';

/** Trainings with the same text are the same, bit for bit: their figures can share one. */
export function trainingOf({ recipe, seed }: Cell): string {
  const { method, epsilon, labelShare } = recipe;
  const isWithoutLabels = method === 'hybrid' && epsilon !== null && labelEpsilon(labelShare, epsilon) === 0;
  const same = isWithoutLabels ? { ...recipe, method: 'dp-sgd' as const, labelCap: null } : recipe;
  return JSON.stringify([same, seed]);
}

/** How many times as long as a logistic regression over all examples, as measured. */
const [OF_A_NETWORK, OF_SUMS, OF_CONVERSIONS] = [9, 3, 0.25] as const;

/** About how long a training takes, for the time left: in passes of a logistic regression over all examples. */
export function passesOf({ recipe }: Cell): number {
  const { method, epsilon, labelShare, training, privateTraining, model, examples } = recipe;
  const ofLabels = method === 'hybrid' && epsilon !== null ? labelEpsilon(labelShare, epsilon) : 0;
  const onLabels = method === 'dp-sgd' || (method === 'hybrid' && ofLabels === 0) ? 0 : training.epochs;
  const onGradients =
    method === 'dp-sgd' || (method === 'hybrid' && ofLabels < (epsilon ?? 0)) ? privateTraining.epochs : 0;
  const passes = onLabels * (method === 'label-sums' ? OF_SUMS : 1) + onGradients;
  return (
    passes * (model === 'network' ? OF_A_NETWORK : 1) * (examples === 'conversions' ? OF_CONVERSIONS : 1)
  );
}
