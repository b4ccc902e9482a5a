import type { MatchingModel } from '../matching/click-weights';
import type { MeasurementSettings } from '../../src/model/mechanisms';

/** The mechanisms that draw a matching of clicks and conversions; see docs/matching.md. */
export const matchingMechanisms = ['laplace', 'gaussian', 'greedy', 'joint'] as const;

export type MatchingMechanism = (typeof matchingMechanisms)[number];

export interface Matching {
  readonly mechanism: MatchingMechanism;
  readonly model: MatchingModel;
}

/** The matching in the settings, or what they lack for it. */
export function matchingFor(
  mechanism: MatchingMechanism,
  { attribution, budget }: Pick<MeasurementSettings, 'attribution' | 'budget'>,
): Matching | string {
  if (attribution.kind !== 'exponential' && attribution.kind !== 'permute-and-flip')
    return 'must have an attribution of kind "exponential" or "permute-and-flip", whose epsilon, score and tau --matching uses';
  const { score, epsilon } = attribution;
  if (score === 'exponential')
    return 'must have an attribution.score of "linear" or "reciprocal" for --matching';
  if (budget.epsilon !== null && budget.attributionEpsilon < epsilon)
    return `must have a budget.attributionEpsilon of at least attribution.epsilon (${epsilon}) for --matching`;
  if (mechanism === 'gaussian' && budget.epsilon !== null && budget.delta === 0)
    return 'must have a budget.delta above 0 for --matching gaussian';
  return { mechanism, model: { ...attribution, score } };
}
