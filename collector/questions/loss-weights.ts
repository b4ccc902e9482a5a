import { estimatorOf } from '../../analysis/estimate/unbiased/estimator-of';
import { lossWeights, responseLossWeights } from '../../analysis/estimate/likelihood/training-weights';
import { transitionRows } from '../../analysis/estimate/quantities/transition';
import { unbiasedRandomizer } from '../../src/privacy/unbiased-randomizer';
import { estimateConfiguration } from '../sources/estimate-configuration';
import type { Definition } from '../sources/definition';

/**
 * Weights that make the loss of a noisy label an unbiased estimate of the true label's loss (Natarajan et al. 2013, Lemma 1; for ads Chua
 * et al. 2024): `own`·loss(label) + `others`·Σ loss(each of the other k − 1 labels). Where the other labels need different weights, `each`
 * has the weight of every value of the mechanism, in order, and the other two are null.
 */
export interface LossWeights {
  readonly own: number | null;
  readonly others: number | null;
  readonly each: readonly number[] | null;
}

export type WeightReader = (label: string) => LossWeights | null;

/** Null if the noise of the configuration's mechanism cannot be inverted. */
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
  // All others are randomized response over k labels: the states, the possible states, or bins.
  const { own, other } = responseLossWeights(Number(definition.k), epsilon);
  return () => ({ own, others: other, each: null });
}

/** A label whose outputs equal a mixture of other labels' has no unbiased weights. */
function weightsOrNull(compute: () => readonly (readonly number[])[]): readonly (readonly number[])[] | null {
  try {
    return compute();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
