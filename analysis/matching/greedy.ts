import { weightedIndex } from '../../src/privacy/finite-distribution';
import { epsilonParameter } from '../../src/privacy/parameters';
import { Rational } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';
import { exponentialOfMinus, rationalBounds, type RealBounds } from '../../src/privacy/real-bounds';
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
  /** e^(−ε_step·(w_max − w)/2Δ) for each free edge; w_max is the greatest weight among them. */
  readonly sizes: (free: readonly Edge<Rational>[]) => readonly RealBounds[];
}

/**
 * What every step does with the free edges. A step spends ε_step = ε/min(clicks, conversions), and there are at most min(clicks,
 * conversions) steps, so together they spend at most ε.
 * @throws ParameterError for parameters out of range.
 */
export function greedySteps(parameters: MatchingParameters): GreedySteps {
  const graph = graphParameter(parameters);
  const perStep = epsilonParameter(parameters.epsilon).over(Rational.of(BigInt(mostPairs(graph))));
  const factor = perStep.over(sensitivityParameter(parameters.sensitivity).times(Rational.of(2)));
  /** Keyed by the best edge, then the edge: most draws need the same few. */
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
 * Picks an edge with probability proportional to e^(ε_step·w/2Δ), then one of those that are still free, until none is left;
 * negative weights count too. These are exponential mechanisms (McSherry & Talwar 2007) whose ε add up; neighbours may differ in
 * any number of edges. The result does not reveal the order of the picks. Without randomness, takes the heaviest free edge.
 * @throws ParameterError for parameters out of range.
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
