import { ParameterError } from '../../privacy/parameters';
import type { Edge, Graph, Pair } from './graph';

/** How many matchings are listed at most; a complete graph of 6 × 6 has 13,327. */
export const MAX_MATCHINGS = 20_000n;

/**
 * The number of matchings, the empty one included, exactly; or null as soon as it is known to be more than `most`. One after the
 * other on the side that has more, it counts in how many ways each set on the other side can be taken. Another one only adds ways, so
 * that there are never more than `most` sets to look at.
 */
export function countMatchings(graph: Graph<unknown>, most: bigint): bigint | null {
  const { few, many } = sides(graph);
  let ways = new Map([[0n, 1n]]);
  let count = 1n;
  for (const own of edgesBy(many, graph)) {
    const next = new Map(ways);
    for (const [taken, times] of ways)
      for (const { pair } of own) {
        const bit = 1n << BigInt(pair[few]);
        if ((taken & bit) === 0n) next.set(taken | bit, (next.get(taken | bit) ?? 0n) + times);
      }
    ways = next;
    count = [...ways.values()].reduce((total, times) => total + times, 0n);
    if (count > most) return null;
  }
  return count;
}

/** @throws ParameterError if there are more than MAX_MATCHINGS, before any is listed. */
export function checkEnumerable(graph: Graph<unknown>): void {
  if (countMatchings(graph, MAX_MATCHINGS) === null)
    throw new ParameterError(
      'weights',
      `${graph.clicks} × ${graph.conversions} with more`,
      `a graph of at most ${MAX_MATCHINGS} matchings`,
    );
}

/** All matchings as lists of edges, the empty one first. @throws ParameterError if there are more than MAX_MATCHINGS. */
export function allMatchings<Weight>(graph: Graph<Weight>): readonly (readonly Edge<Weight>[])[] {
  checkEnumerable(graph);
  const { few, many } = sides(graph);
  let matchings: readonly (readonly Edge<Weight>[])[] = [[]];
  for (const own of edgesBy(few, graph))
    matchings = matchings.flatMap((used) => [
      used,
      ...own
        .filter(({ pair }) => used.every((other) => other.pair[many] !== pair[many]))
        .map((edge) => [...used, edge]),
    ]);
  return matchings;
}

type Side = keyof Pair;

const sides = ({ clicks, conversions }: Graph<unknown>): { readonly few: Side; readonly many: Side } =>
  clicks < conversions ? { few: 'click', many: 'conversion' } : { few: 'conversion', many: 'click' };

/** The edges of each click, or of each conversion, that has any. */
function edgesBy<Weight>(side: Side, { edges }: Graph<Weight>): readonly (readonly Edge<Weight>[])[] {
  const groups = new Map<number, Edge<Weight>[]>();
  for (const edge of edges) {
    const group = groups.get(edge.pair[side]) ?? [];
    group.push(edge);
    groups.set(edge.pair[side], group);
  }
  return [...groups.values()];
}
