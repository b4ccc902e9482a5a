import { mistake } from '../../formats/codec/mistakes';
import { finite, ParameterError, parameterValue, positive } from '../../src/privacy/parameters';
import { Rational, type Exact } from '../../src/privacy/rational';

/** Credits click `click` with conversion `conversion`, both numbered from 0. */
export interface Pair {
  readonly click: number;
  readonly conversion: number;
}

/** Pairs in ascending order of clicks. No two share a click or a conversion. */
export type Matching = readonly Pair[];

/** `weights[i][j]`: the score of click i for conversion j; null if it is no candidate. Which are null is public. */
export type EdgeWeights = readonly (readonly (Exact | null)[])[];

/** What to match, and how much noise to add. Neighbours differ in the weights of one click, each by at most Δ. */
export interface MatchingParameters {
  /** A row for each click, and in it a score for each conversion. */
  readonly weights: EdgeWeights;
  /** Above 0. */
  readonly epsilon: Exact;
  /** Δ: by how much at most the weight of an edge differs between neighbours. */
  readonly sensitivity: Exact;
  /**
   * Stochastic weights: the public probability with which each pair counts, above 0 and at most 1. The mechanisms then match by expected weights, of which
   * neighbours differ by less. Without, each pair counts.
   */
  readonly chances?: EdgeWeights;
  /** What neighbours differ in: the weights of one click (the default), or a single weight. */
  readonly neighbours?: Neighbours;
}

export type Neighbours = 'click' | 'edge';

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

/** A graph with expected weights, and for each edge its probability. */
export interface WeightedGraph extends Graph<Rational> {
  readonly chances: readonly Rational[];
}

/**
 * A graph with at least one edge.
 * @throws ParameterError unless rows are equally long, weights finite or null, and there is a probability for each weight.
 */
export function graphParameter({
  weights,
  chances,
}: Pick<MatchingParameters, 'weights' | 'chances'>): WeightedGraph {
  const conversions = weights[0]?.length ?? 0;
  const checkLength = (row: readonly unknown[] | undefined, place: string): void => {
    if (row?.length !== conversions)
      throw new ParameterError(place, mistake('row-length', { conversions, was: row?.length ?? 0 }));
  };
  const edges = weights.flatMap((row, click) => {
    checkLength(row, `weights[${click}]`);
    if (chances !== undefined) checkLength(chances[click], `chances[${click}]`);
    return row.flatMap((weight, conversion) => {
      if (weight === null) return [];
      const place = `[${click}][${conversion}]`;
      const chance =
        chances === undefined
          ? Rational.ONE
          : chanceParameter(`chances${place}`, chances[click]?.[conversion]);
      return [
        { pair: { click, conversion }, weight: finite(`weights${place}`, weight).times(chance), chance },
      ];
    });
  });
  if (edges.length === 0) throw new ParameterError('weights', mistake('no-weights'));
  return { clicks: weights.length, conversions, edges, chances: edges.map(({ chance }) => chance) };
}

function chanceParameter(place: string, value: Exact | null | undefined): Rational {
  const chance = positive(place, value ?? 'missing');
  if (chance.compare(Rational.ONE) > 0n)
    throw new ParameterError(place, mistake('not-a-probability', { was: parameterValue(value) }));
  return chance;
}

export const sensitivityParameter = (value: Exact): Rational => positive('sensitivity', value);

/** The same edges with other weights. */
export const reweighted = <From, To>(
  { clicks, conversions, edges }: Graph<From>,
  weigh: (weight: From, index: number) => To,
): Graph<To> => ({
  clicks,
  conversions,
  edges: edges.map(({ pair, weight }, index) => ({ pair, weight: weigh(weight, index) })),
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
