import { estimatorOf } from '../../analysis/estimate/estimator-of';
import { lossWeights, responseLossWeights } from '../../analysis/estimate/training-weights';
import { transitionRows } from '../../analysis/estimate/transition';
import { unbiasedRandomizer } from '../../src/privacy/unbiased-randomizer';
import { estimateConfiguration } from '../estimates/estimate-configuration';
import type { Definition } from '../sources/configuration';

/**
 * The weights with which the loss of a noisy label has the loss of the true one as its mean (Natarajan et al. 2013, Lemma 1; for ads
 * Chua et al. 2024): `own`·loss(label) + `others`·Σ loss(each of the other k − 1 labels). Where these are not alike, `each` has
 * the weight of every value of the mechanism, in their order, and the other two are null.
 */
export interface LossWeights {
  readonly own: number | null;
  readonly others: number | null;
  readonly each: readonly number[] | null;
}

export type WeightReader = (label: string) => LossWeights | null;

/** The weights of a configuration's labels; null where its mechanism cannot be undone. */
export function weightReader(definition: Definition): WeightReader {
  const configuration = estimateConfiguration(definition);
  if (configuration === null) return () => null;
  const { mechanism, epsilon } = configuration;
  if (mechanism.kind === 'unbiased') {
    const weights = weightsOrNull(() =>
      lossWeights(
        transitionRows(
          unbiasedRandomizer(mechanism.values, mechanism.prior, epsilon),
          mechanism.values.length,
        ),
      ),
    );
    if (weights === null) return () => null;
    const estimator = estimatorOf(configuration);
    return (label) => {
      const each = weights[Number(estimator.outputOf(Number(label)) ?? NaN)];
      return each === undefined ? null : { own: null, others: null, each };
    };
  }
  // All others are randomized response over k labels: the states, the likeliest of them, or bins.
  const { own, other } = responseLossWeights(Number(definition.k), epsilon);
  return () => ({ own, others: other, each: null });
}

/** Labels that look like mixtures of others have no weights without bias. */
function weightsOrNull(compute: () => readonly (readonly number[])[]): readonly (readonly number[])[] | null {
  try {
    return compute();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
