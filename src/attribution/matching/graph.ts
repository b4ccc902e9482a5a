import { mistake } from '../../model/mistakes';
import { finite, ParameterError, positive } from '../../privacy/parameters';
import type { Exact, Rational } from '../../privacy/rational';

/** Click `click` is credited with conversion `conversion`, both numbered from 0. */
export interface Pair {
  readonly click: number;
  readonly conversion: number;
}

/** Pairs in ascending order of clicks, no click and no conversion in two of them. */
export type Matching = readonly Pair[];

/**
 * How good it is to credit click i with conversion j, as `weights[i][j]`; null where click i is no candidate of conversion j.
 * Which entries are null is public: a mechanism is private only between neighbours in which the same ones are.
 */
export type EdgeWeights = readonly (readonly (Exact | null)[])[];

/** What all mechanisms over matchings take. */
export interface MatchingParameters {
  readonly weights: EdgeWeights;
  readonly epsilon: Exact;
  /** By how much the weight of an edge changes between neighbours at most (Δ). */
  readonly sensitivity: Exact;
}

/** A pair that may be used. It holds its pair instead of being one, so that no weight gets into a matching that is released. */
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

/** How many pairs a matching has at most. */
export const mostPairs = ({ clicks, conversions }: Graph<unknown>): number =>
  clicks < conversions ? clicks : conversions;

/** Edges that share no click and no conversion, as a matching. */
export const matchingOf = (edges: readonly Edge<unknown>[]): Matching =>
  edges.map(({ pair }) => pair).sort((a, b) => a.click - b.click);

/** The edges that have neither the click nor the conversion of `pair`. */
export const freeOf = <Weight>(pair: Pair, edges: readonly Edge<Weight>[]): readonly Edge<Weight>[] =>
  edges.filter((edge) => edge.pair.click !== pair.click && edge.pair.conversion !== pair.conversion);
