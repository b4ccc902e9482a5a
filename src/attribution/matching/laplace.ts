import { discreteLaplace } from '../../privacy/discrete-laplace';
import { epsilonParameter, integerParameter, positive } from '../../privacy/parameters';
import { Rational, type Exact } from '../../privacy/rational';
import type { RandomSource } from '../../privacy/random-source';
import {
  graphParameter,
  reweighted,
  sensitivityParameter,
  type Matching,
  type MatchingParameters,
} from './graph';
import { inGrains, sensitivityInGrains } from './grain';
import { maximumWeightMatching } from './maximum-weight';

export interface LaplaceParameters extends MatchingParameters {
  /** By how much the weight of one edge changes between neighbours at most (Δ). */
  readonly sensitivity: Exact;
  /** How many edges change between neighbours at most: all of a click, if one click moves. */
  readonly movedEdges: Exact;
  /** Weights are rounded to whole multiples of it. Best a whole fraction of the sensitivity, which rounding then leaves as it is. */
  readonly grain: Exact;
}

/**
 * The scale of the noise on each edge, in grains: Δ₁/ε, where the rounded weights of neighbours have an L1 distance of at most
 * Δ₁ = `movedEdges`·⌈Δ/grain⌉.
 * @throws ParameterError for parameters out of their range.
 */
export function laplaceScale({
  sensitivity,
  movedEdges,
  grain,
  epsilon,
}: Omit<LaplaceParameters, 'weights'>): Rational {
  const perEdge = sensitivityInGrains(sensitivityParameter(sensitivity), positive('grain', grain));
  const edges = integerParameter('movedEdges', movedEdges, 1n);
  return Rational.of(edges * perEdge).over(epsilonParameter(epsilon));
}

/**
 * Adds independent discrete Laplace noise to every edge and takes a matching of greatest noisy weight, without edges whose noisy
 * weight is 0 or less: ε-differentially private, because what is done to the noisy weights reveals no more than they do.
 * `laplaceMatchingBound` says what it loses.
 * @throws ParameterError for parameters out of their range.
 */
export function laplaceMatching(parameters: LaplaceParameters): (random: RandomSource) => Matching {
  const grain = positive('grain', parameters.grain);
  const rounded = reweighted(graphParameter(parameters.weights), (weight) => inGrains(weight, grain));
  const noise = discreteLaplace(laplaceScale(parameters));
  return (random) => maximumWeightMatching(reweighted(rounded, (weight) => weight + noise(random)));
}
