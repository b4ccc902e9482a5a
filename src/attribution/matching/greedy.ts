import { weightedIndex } from '../../privacy/finite-distribution';
import { epsilonParameter } from '../../privacy/parameters';
import { Rational } from '../../privacy/rational';
import type { RandomSource } from '../../privacy/random-source';
import { exponentialOfMinus, rationalBounds } from '../../privacy/real-bounds';
import type { RealBounds } from '../../privacy/uniform';
import {
  freeOf,
  graphParameter,
  matchingOf,
  mostPairs,
  sensitivityParameter,
  type Edge,
  type Graph,
  type Matching,
  type MatchingParameters,
} from './graph';

export interface GreedySteps {
  readonly graph: Graph<Rational>;
  /** e^(−ε_step·(w_max − w)/2Δ) for each of the edges that are free, w_max the greatest weight among them. */
  readonly sizes: (free: readonly Edge<Rational>[]) => readonly RealBounds[];
}

/**
 * What every step does with the edges that are still free. Each spends ε_step = ε/min(clicks, conversions); there may be fewer
 * steps where edges are missing, but never more, so that all of them together spend ε at most.
 * @throws ParameterError for parameters out of their range.
 */
export function greedySteps({ weights, epsilon, sensitivity }: MatchingParameters): GreedySteps {
  const graph = graphParameter(weights);
  const perStep = epsilonParameter(epsilon).over(Rational.of(BigInt(mostPairs(graph))));
  const factor = perStep.over(sensitivityParameter(sensitivity).times(Rational.of(2)));
  /** By the best edge and the edge: the same few come back in most draws. */
  const known = new Map<Edge<Rational>, Map<Edge<Rational>, RealBounds>>();
  const sizesBelow = (best: Edge<Rational>): ((edge: Edge<Rational>) => RealBounds) => {
    const row = known.get(best) ?? new Map<Edge<Rational>, RealBounds>();
    known.set(best, row);
    return (edge) => {
      const size =
        row.get(edge) ?? exponentialOfMinus(rationalBounds(best.weight.minus(edge.weight).times(factor)));
      row.set(edge, size);
      return size;
    };
  };
  return {
    graph,
    sizes: (free) => free.map(sizesBelow(heaviest(free))),
  };
}

/** The first of the heaviest edges. */
const heaviest = (edges: readonly Edge<Rational>[]): Edge<Rational> =>
  edges.reduce((a, b) => (a.weight.compare(b.weight) >= 0n ? a : b));

/**
 * Picks an edge with probability proportional to e^(ε_step·w/2Δ) among those that are free, then among those that share neither
 * click nor conversion with it, until none is left, negative ones included: exponential mechanisms (McSherry & Talwar 2007)
 * whose ε add up. Neighbours may differ in any number of edges. What is released is the pairs, not the order in which they were picked.
 * Without randomness the heaviest free edge is picked, as with a large ε.
 * @throws ParameterError for parameters out of their range.
 */
export function greedyMatching(parameters: MatchingParameters): (random: RandomSource | null) => Matching {
  const { graph, sizes } = greedySteps(parameters);
  return (random) => {
    const picked: Edge<Rational>[] = [];
    let free = graph.edges;
    while (free.length > 0) {
      const edge = random === null ? heaviest(free) : free[weightedIndex(sizes(free))(random)];
      if (edge === undefined) throw new Error('an index of a free edge is drawn');
      picked.push(edge);
      free = freeOf(edge.pair, free);
    }
    return matchingOf(picked);
  };
}
