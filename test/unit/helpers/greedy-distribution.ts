import { probabilities } from '../../../src/privacy/finite-distribution';
import { Rational } from '../../../src/privacy/rational';
import { rationalBounds, type RealBounds } from '../../../src/privacy/real-bounds';
import {
  freeOf,
  matchingOf,
  type Edge,
  type Matching,
  type MatchingParameters,
} from '../../../analysis/matching/graph';
import { greedySteps, type GreedySteps } from '../../../analysis/matching/greedy';
import { product } from '../../../analysis/noise/product';
import { total } from './total';

/** The possible matchings, in an order that depends on the edges but not on their weights. */
export interface MatchingDistribution {
  readonly matchings: readonly Matching[];
  readonly probabilities: readonly RealBounds[];
}

/** A set of edges picked so far, in any order. */
interface State {
  readonly picked: readonly Edge<Rational>[];
  readonly free: readonly Edge<Rational>[];
  readonly probability: RealBounds;
}

/**
 * The probability of each matching under `greedyMatching`. For a set of edges it is the sum, over its edges, of the probability of the set
 * without the edge times that of picking the edge next.
 */
export function greedyMatchingDistribution(parameters: MatchingParameters): MatchingDistribution {
  const steps = greedySteps(parameters);
  const ended: State[] = [];
  let states: readonly State[] = [
    { picked: [], free: steps.graph.edges, probability: rationalBounds(Rational.ONE) },
  ];
  while (states.length > 0) {
    ended.push(...states.filter(({ free }) => free.length === 0));
    states = afterOneMore(
      states.filter(({ free }) => free.length > 0),
      steps,
    );
  }
  return {
    matchings: ended.map(({ picked }) => matchingOf(picked)),
    probabilities: ended.map(({ probability }) => probability),
  };
}

function afterOneMore(states: readonly State[], { sizes, graph }: GreedySteps): readonly State[] {
  const number = new Map(graph.edges.map((edge, index) => [edge, index]));
  const next = new Map<string, Omit<State, 'probability'> & { readonly ways: RealBounds[] }>();
  for (const { picked, free, probability } of states) {
    const chances = probabilities(sizes(free));
    free.forEach((edge, index) => {
      const set = [...picked, edge].sort((a, b) => (number.get(a) ?? 0) - (number.get(b) ?? 0));
      const key = set.map((member) => number.get(member)).join();
      const state = next.get(key) ?? { picked: set, free: freeOf(edge.pair, free), ways: [] };
      state.ways.push(product(probability, chances[index] ?? rationalBounds(Rational.ZERO)));
      next.set(key, state);
    });
  }
  return [...next.values()].map(({ picked, free, ways }) => ({ picked, free, probability: total(ways) }));
}
