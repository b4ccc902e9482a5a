import { discreteLaplace } from '../../privacy/discrete-laplace';
import { epsilonParameter } from '../../privacy/parameters';
import { Rational, type Exact } from '../../privacy/rational';
import type { RandomSource } from '../../privacy/random-source';
import { floorDivide } from '../../privacy/real-bounds';
import {
  graphParameter,
  reweighted,
  sensitivityParameter,
  type Graph,
  type Matching,
  type MatchingParameters,
} from './graph';
import { maximumWeightMatching } from './maximum-weight';

/** Weights are rounded to multiples of Δ/1024. A difference of at most Δ stays at most Δ, so rounding needs no extra noise. */
export const GRAINS_PER_SENSITIVITY = 1024n;

/** The nearest whole multiple of the grain, halves up. */
export function inGrains(x: Rational, grain: Rational): bigint {
  const { numerator, denominator } = x.over(grain);
  return floorDivide(2n * numerator + denominator, 2n * denominator);
}

/** The scale of each edge's noise in grains: neighbours have an L1 distance of at most `movedEdges`·Δ, divided by ε. */
export const laplaceScale = (movedEdges: bigint, epsilon: Exact): Rational =>
  Rational.of(movedEdges * GRAINS_PER_SENSITIVITY).over(epsilonParameter(epsilon));

/**
 * Adds independent discrete Laplace noise to every edge and takes a matching of greatest noisy weight, without edges of noisy
 * weight ≤ 0. ε-private if neighbours differ in the weights of one click: processing noisy weights reveals no more than they do.
 * Without randomness there is no noise.
 * @throws ParameterError for parameters out of range.
 */
export function laplaceMatching(parameters: MatchingParameters): (random: RandomSource | null) => Matching {
  const graph = graphParameter(parameters.weights);
  const sensitivity = sensitivityParameter(parameters.sensitivity);
  const grain = sensitivity.over(Rational.of(GRAINS_PER_SENSITIVITY));
  const rounded = reweighted(graph, (weight) => inGrains(weight, grain));
  const noise = discreteLaplace(laplaceScale(mostEdgesOfClick(graph), parameters.epsilon));
  return (random) =>
    maximumWeightMatching(
      reweighted(rounded, (weight) => (random === null ? weight : weight + noise(random))),
    );
}

/** The number of edges that can change when one click moves. */
function mostEdgesOfClick({ edges }: Graph<unknown>): bigint {
  const counts = new Map<number, bigint>();
  for (const { pair } of edges) counts.set(pair.click, (counts.get(pair.click) ?? 0n) + 1n);
  return [...counts.values()].reduce((most, count) => (count > most ? count : most), 0n);
}
