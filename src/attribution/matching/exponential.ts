import { probabilities, weightedIndex } from '../../privacy/finite-distribution';
import { epsilonParameter } from '../../privacy/parameters';
import { Rational, sum, type Exact } from '../../privacy/rational';
import type { RandomSource } from '../../privacy/random-source';
import { exponentialOfMinus, rationalBounds } from '../../privacy/real-bounds';
import type { RealBounds } from '../../privacy/uniform';
import { allMatchings } from './enumerate';
import {
  graphParameter,
  matchingOf,
  sensitivityParameter,
  type Matching,
  type MatchingDistribution,
  type MatchingParameters,
} from './graph';

export interface ExponentialParameters extends MatchingParameters {
  /**
   * By how much the total weight of a matching changes between neighbours at most (Δ). If one click moves, as much as one edge: a
   * matching has one edge of that click at most.
   */
  readonly sensitivity: Exact;
}

/**
 * Draws a matching, the empty one included, with probability proportional to e^(ε·s/2Δ), s its total weight: the exponential
 * mechanism (McSherry & Talwar 2007) over all matchings, ε-differentially private. `utilityBound`, with the number of
 * matchings for that of clicks, says what it loses.
 * @throws ParameterError for parameters out of their range, and for graphs of more than MAX_MATCHINGS matchings.
 */
export function exponentialMatching(parameters: ExponentialParameters): (random: RandomSource) => Matching {
  const { matchings, sizes } = candidates(parameters);
  const draw = weightedIndex(sizes);
  return (random) => matchings[draw(random)] ?? [];
}

/** The probability of each matching. @throws ParameterError as the mechanism itself. */
export function exponentialMatchingDistribution(parameters: ExponentialParameters): MatchingDistribution {
  const { matchings, sizes } = candidates(parameters);
  return { matchings, probabilities: probabilities(sizes) };
}

/** All matchings, and e^(−ε·(s_max − s)/2Δ) for each. */
function candidates({ weights, epsilon, sensitivity }: ExponentialParameters): {
  readonly matchings: readonly Matching[];
  readonly sizes: readonly RealBounds[];
} {
  const factor = epsilonParameter(epsilon).over(sensitivityParameter(sensitivity).times(Rational.of(2)));
  const all = allMatchings(graphParameter(weights));
  const scores = all.map((edges) => sum(edges.map(({ weight }) => weight)));
  const best = scores.reduce((a, b) => (a.compare(b) >= 0n ? a : b));
  return {
    matchings: all.map(matchingOf),
    sizes: scores.map((score) => exponentialOfMinus(rationalBounds(best.minus(score).times(factor)))),
  };
}
