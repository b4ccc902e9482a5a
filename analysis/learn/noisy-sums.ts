import { discreteLaplace } from '../noise/discrete-laplace';
import { Rational } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';
import { withLabels, type Examples } from './examples';
import type { PrivacyAccountant } from './privacy-accountant';
import type { Model } from './model';
import type { PrivateBudget } from './private-train';
import { cosineDecay, optimiser } from './optimiser';
import { slopesOf, type TrainingSettings } from './train';

/**
 * Logistic regression from noisy label sums (Ghazi & Manurangsi's tutorial on label privacy): its gradient Xᵀ(mean) − Xᵀy depends on labels
 * only through Xᵀy, the number of conversions for each bucket. Each count gets discrete Laplace noise. One conversion more or less changes
 * one count of each categorical feature and the count of all by 1, so the scale is (number of features + 1)·K/ε, where
 * a unit has at most K examples.
 * @param model a logistic model.
 * @throws RangeError when examples have numeric features, whose sums are no counts.
 */
export function trainOnNoisySums(
  model: Model,
  examples: Examples,
  settings: TrainingSettings,
  budget: Omit<PrivateBudget, 'delta'>,
  random: RandomSource,
  accountant: PrivacyAccountant,
): void {
  descend(model, examples, settings, noisyLabelSums(model, examples, budget, random, accountant));
}

/** Xᵀy with noise, in the order of the model's parameters. @throws RangeError as above. */
export function noisyLabelSums(
  model: Model,
  examples: Examples,
  { epsilon, examplesPerUnit }: Omit<PrivateBudget, 'delta'>,
  random: RandomSource,
  accountant: PrivacyAccountant,
): Float32Array {
  const { categories, numbers } = examples.fields;
  if (numbers.length > 0) throw new RangeError('noisy label sums need categorical features only');
  accountant.spend({ what: 'label-sums', epsilon, delta: 0 });
  const noise = discreteLaplace(
    Rational.of((categories.length + 1) * examplesPerUnit).over(Rational.of(epsilon)),
  );
  return labelSums(model, examples, accountant).map((sum) => sum + Number(noise(random)));
}

/** Xᵀy, from the slopes of a loss that is linear in the labels. */
function labelSums(model: Model, examples: Examples, accountant: PrivacyAccountant): Float32Array {
  const rows = allRows(examples);
  const sums = new Float32Array(model.parameters.length);
  model.forward(examples, rows, new Float32Array(rows.length));
  model.backward(Float32Array.from(rows, (row) => accountant.readLabel(examples, row, 'labels')));
  model.accumulate(null, sums);
  return sums;
}

/** Steps with the gradient over all examples; a pull towards 0 keeps weights whose sums are mostly noise small. */
function descend(model: Model, examples: Examples, settings: TrainingSettings, sums: Float32Array): void {
  const unlabelled = withLabels(examples, new Float32Array(examples.count));
  const rows = allRows(examples);
  const gradient = new Float32Array(sums.length);
  const step = optimiser(settings.optimiser, model.parameters);
  for (let taken = 0; taken < STEPS; taken++) {
    gradient.fill(0);
    model.backward(slopesOf(model, unlabelled, rows, 'cross-entropy'));
    model.accumulate(null, gradient);
    for (let i = 0; i < gradient.length; i++)
      gradient[i] =
        ((gradient[i] ?? 0) - (sums[i] ?? 0) + PULL * (model.parameters[i] ?? 0)) / examples.count;
    step(gradient, cosineDecay(settings.rate, taken, STEPS));
  }
}

const STEPS = 100;
const PULL = 10;

const allRows = ({ count }: Examples): Int32Array => Int32Array.from({ length: count }, (_, row) => row);
