import { responseRates } from './channel';
import { rightInverse } from './inverse';

/**
 * Weights that undo label noise in training: for an observed output o, Σ_y w[o][y]·loss(y) has the loss of the true label as its
 * mean over the noise, for any loss and any model, and so has its gradient (Natarajan, Dhillon, Ravikumar & Tewari 2013, "Learning
 * with noisy labels", Lemma 1; backward correction in Patrini et al. 2017; for ads Chua et al. 2024, "Training differentially
 * private ad prediction models with semi-sensitive features"). Row o is that of the inverse of the transition matrix. Weights may
 * be negative, and a row sums to one.
 * @param rows for each label the probability of each output: `transitionRows`.
 * @returns for each output its weight for each label.
 * @throws RangeError when the mechanism cannot be undone, because some labels look like mixtures of others: labels that randomized
 * response with a prior never gives, two labels of one bin. Leave those out, or put one in place of all of its bin; the weighted
 * loss is then without bias for the labels that were given.
 */
export function lossWeights(rows: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const weights = rightInverse(rows);
  if (weights === null)
    throw new RangeError(
      'rows must be linearly independent: no weights are without bias for labels that look like mixtures of others',
    );
  return weights;
}

/**
 * The same for k-ary randomized response over any number of labels: the observed label has the weight `own`, each of the k − 1
 * others `other`, (1{y = o} − p/k)/(1 − p).
 * @param states k, at least 1.
 * @param epsilon greater than 0.
 */
export function responseLossWeights(
  states: number,
  epsilon: number,
): { readonly own: number; readonly other: number } {
  if (!(states >= 1)) throw new RangeError(`states must be at least 1, was ${states}`);
  if (!(epsilon > 0)) throw new RangeError(`epsilon must be greater than 0, was ${epsilon}`);
  const { keep } = responseRates(states, epsilon);
  const other = -(1 - keep) / states / keep;
  return { own: 1 / keep + other, other };
}
