import type { Epsilon } from '../../../src/model/units';
import { responseRates } from '../intervals/channel';
import { rightInverse } from '../intervals/inverse';
import { fit } from './likeliest-model';
import { Support } from './output-model';
import type { ResponseModel } from '../quantities/response-model';

/**
 * Weights that undo label noise in training. For an observed output o, the mean of Σ_y w[o][y]·loss(y) over the noise is the loss of the
 * true label, for any loss and any model; the same holds for the gradient (Natarajan, Dhillon, Ravikumar & Tewari 2013, "Learning with
 * noisy labels", Lemma 1; backward correction in Patrini et al. 2017; for ads Chua et al. 2024, "Training differentially private ad
 * prediction models with semi-sensitive features"). Row o is row o of the inverse transition matrix. Weights may be negative; a row sums to
 * one.
 * @param rows for each label the probability of each output: `transitionRows`.
 * @returns for each output its weight for each label.
 * @throws RangeError when the mechanism cannot be undone because some labels look like mixtures of others: labels that randomized response
 * with a prior never gives, or two labels of one bin. Leave such labels out, or replace a bin by one label; the weighted loss is then
 * unbiased for the remaining labels.
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
 * The weights for k-ary randomized response over any number of labels: `own` for the observed label, `other` for each of the k − 1 others,
 * (1{y = o} − p/k)/(1 − p).
 * @param states k, at least 1.
 * @param epsilon greater than 0.
 */
export function responseLossWeights(
  states: number,
  epsilon: Epsilon,
): { readonly own: number; readonly other: number } {
  if (!(states >= 1)) throw new RangeError(`states must be at least 1, was ${states}`);
  if (!(epsilon > 0)) throw new RangeError(`epsilon must be greater than 0, was ${epsilon}`);
  const { keep } = responseRates(states, epsilon);
  const other = -(1 - keep) / states / keep;
  return { own: 1 / keep + other, other };
}

/** What a label from randomized response reveals about the truth, if all sources together are as likely as possible. */
export interface LabelEvidence {
  /** The probability that the label is the truth, and was not drawn instead. */
  readonly kept: number;
  /**
   * How many times as likely the label is for a source with a conversion as for one without. With it, −log(1 + f·(ratio − 1)) is, up to a
   * constant, the log loss of a model that predicts a conversion with probability f (forward correction: Patrini, Rozza, Menon, Nock & Qu
   * 2017).
   */
  readonly ratio: number;
}

/**
 * @param tally how many sources have each label; label 0 is the state without reports.
 * @returns null for a label that is not in the tally.
 */
export function labelEvidence(
  response: ResponseModel,
  tally: ReadonlyMap<string, number>,
): (label: string) => LabelEvidence | null {
  const support = new Support((output) => response.composition(output));
  const counts = support.countsOf(tally);
  const { kept, total } = fit(support, response, counts, support.even(), 0);
  const none = (kept.counts[kept.outputs.indexOf(support.place('0'))] ?? 0) / total;
  const uniform = (1 - response.keep) / Number(response.outputs);
  const found = new Map(
    kept.outputs.map((output, index): [string, LabelEvidence] => {
      const label = support.outputs[output] ?? '';
      const still = kept.counts[index] ?? 0;
      const own = (response.keep * still) / total;
      const isNone = label === '0';
      // Given a conversion, and given none, the label comes from noise or from the truths of that kind.
      const [converted, not] = [isNone ? 0 : over(own, 1 - none), isNone ? over(own, none) : 0];
      const ratio = (converted + uniform) / (not + uniform);
      return [label, { kept: still / (counts.counts[index] ?? 1), ratio }];
    }),
  );
  return (label) => found.get(label) ?? null;
}

const over = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);
