import { Rational, type Exact } from '../../src/privacy/rational';
import { positive } from '../../src/privacy/parameters';
import { graphParameter, type EdgeWeights, type MatchingParameters } from './graph';

/**
 * Expected weights, brought between 0 and `most`. Neighbours may then differ in a click's weights and probabilities in any way, because an
 * expected weight changes by at most `most`. So probabilities need not be public.
 * @throws ParameterError for parameters out of range.
 */
export function clippedWeights(
  parameters: Pick<MatchingParameters, 'weights' | 'chances'>,
  most: Exact,
): Pick<MatchingParameters, 'weights' | 'sensitivity'> {
  const limit = positive('clip', most);
  const clip = (weight: Rational): Rational =>
    weight.sign < 0n ? Rational.ZERO : weight.compare(limit) > 0n ? limit : weight;
  const weights: (Exact | null)[][] = parameters.weights.map((row) => row.map(() => null));
  for (const { pair, weight } of graphParameter(parameters).edges) {
    const row = weights[pair.click];
    if (row !== undefined) row[pair.conversion] = clip(weight);
  }
  return { weights: weights satisfies EdgeWeights, sensitivity: limit };
}
