import { discreteLaplace } from '../../privacy/discrete-laplace';
import { epsilonParameter, positive } from '../../privacy/parameters';
import { overCommonDenominator, Rational, type Exact } from '../../privacy/rational';
import type { RandomSource } from '../../privacy/random-source';
import {
  graphParameter,
  reweighted,
  sensitivityParameter,
  type Graph,
  type MatchingParameters,
} from './graph';
import { inGrains, sensitivityInGrains } from './grain';
import { maximumWeight } from './maximum-weight';

export interface ValueParameters extends MatchingParameters {
  /**
   * By how much the value changes between neighbours at most. If one click moves, as much as one edge: a matching has one edge of
   * that click at most, so that no matching's weight changes by more, and hence neither does the greatest.
   */
  readonly sensitivity: Exact;
  /** The value is released in whole multiples of it. Best a whole fraction of the sensitivity. */
  readonly grain: Exact;
}

/** The scale of the noise, in grains: ⌈Δ/grain⌉/ε. @throws ParameterError for parameters out of their range. */
export function valueScale({ sensitivity, grain, epsilon }: Omit<ValueParameters, 'weights'>): Rational {
  const grains = sensitivityInGrains(sensitivityParameter(sensitivity), positive('grain', grain));
  return Rational.of(grains).over(epsilonParameter(epsilon));
}

/**
 * Releases the total weight of a maximum-weight matching, computed exactly, then rounded to the grain, plus discrete Laplace noise:
 * ε-differentially private. Can be negative. `matchingValueBound` says how far off it is.
 * @throws ParameterError for parameters out of their range.
 */
export function matchingValue(parameters: ValueParameters): (random: RandomSource) => Rational {
  const grain = positive('grain', parameters.grain);
  const value = inGrains(exactMaximum(graphParameter(parameters.weights)), grain);
  const noise = discreteLaplace(valueScale(parameters));
  return (random) => grain.times(Rational.of(value + noise(random)));
}

function exactMaximum(graph: Graph<Rational>): Rational {
  const { numerators, denominator } = overCommonDenominator(graph.edges.map(({ weight }) => weight));
  return Rational.fraction(
    maximumWeight(reweighted(graph, (_, index) => numerators[index] ?? 0n)),
    denominator,
  );
}
