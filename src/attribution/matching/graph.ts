import { mistake } from '../../model/mistakes';
import { finite, ParameterError, positive } from '../../privacy/parameters';
import type { Exact, Rational } from '../../privacy/rational';

/** Credits click `click` with conversion `conversion`, both numbered from 0. */
export interface Pair {
  readonly click: number;
  readonly conversion: number;
}

/** Pairs in ascending order of clicks. No two share a click or a conversion. */
export type Matching = readonly Pair[];

/** `weights[i][j]`: the score of click i for conversion j; null if it is no candidate. Which are null is public. */
export type EdgeWeights = readonly (readonly (Exact | null)[])[];

export interface MatchingParameters {
  readonly weights: EdgeWeights;
  readonly epsilon: Exact;
  /** Δ: by how much at most the weight of an edge differs between neighbours. */
  readonly sensitivity: Exact;
}

/** A pair that may be used. The pair is a field, so that no weight gets into a released matching. */
export interface Edge<Weight> {
  readonly pair: Pair;
  readonly weight: Weight;
}

export interface Graph<Weight> {
  readonly clicks: number;
  readonly conversions: number;
  readonly edges: readonly Edge<Weight>[];
}

/** A graph with at least one edge. @throws ParameterError unless rows are equally long and weights finite or null. */
export function graphParameter(weights: EdgeWeights): Graph<Rational> {
  const conversions = weights[0]?.length ?? 0;
  const edges = weights.flatMap((row, click) => {
    if (row.length !== conversions)
      throw new ParameterError(`weights[${click}]`, mistake('row-length', { conversions, was: row.length }));
    return row.flatMap((weight, conversion) =>
      weight === null
        ? []
        : [{ pair: { click, conversion }, weight: finite(`weights[${click}][${conversion}]`, weight) }],
    );
  });
  if (edges.length === 0) throw new ParameterError('weights', mistake('no-weights'));
  return { clicks: weights.length, conversions, edges };
}

export const sensitivityParameter = (value: Exact): Rational => positive('sensitivity', value);

/** The same edges with other weights. */
export const reweighted = <From, To>(
  graph: Graph<From>,
  weigh: (weight: From, index: number) => To,
): Graph<To> => ({
  ...graph,
  edges: graph.edges.map(({ pair, weight }, index) => ({ pair, weight: weigh(weight, index) })),
});

/** The greatest possible number of pairs in a matching. */
export const mostPairs = ({ clicks, conversions }: Graph<unknown>): number =>
  clicks < conversions ? clicks : conversions;

/** The matching of edges that share no click and no conversion. */
export const matchingOf = (edges: readonly Edge<unknown>[]): Matching =>
  edges.map(({ pair }) => pair).sort((a, b) => a.click - b.click);

/** The edges that share neither click nor conversion with `pair`. */
export const freeOf = <Weight>(pair: Pair, edges: readonly Edge<Weight>[]): readonly Edge<Weight>[] =>
  edges.filter((edge) => edge.pair.click !== pair.click && edge.pair.conversion !== pair.conversion);
