import { ParameterError } from '../../privacy/parameters';
import { freeOf, type Edge, type Graph } from './graph';

/** How many matchings are listed at most; a complete graph of 6 × 6 has 13,327. */
export const MAX_MATCHINGS = 20_000n;

/**
 * The number of matchings, the empty one included, exactly; or null as soon as it is known to be more than `most`. Click by
 * click, for every set of conversions that are taken, in how many ways; a further click only adds ways, so that there are
 * never more than `most` sets to look at.
 */
export function countMatchings({ clicks, edges }: Graph<unknown>, most: bigint): bigint | null {
  let ways = new Map([[0n, 1n]]);
  for (let click = 0; click < clicks; click++) {
    const own = edges.filter(({ pair }) => pair.click === click);
    const next = new Map(ways);
    for (const [taken, count] of ways)
      for (const { pair } of own) {
        const bit = 1n << BigInt(pair.conversion);
        if ((taken & bit) === 0n) next.set(taken | bit, (next.get(taken | bit) ?? 0n) + count);
      }
    if ([...next.values()].reduce((total, count) => total + count, 0n) > most) return null;
    ways = next;
  }
  return [...ways.values()].reduce((total, count) => total + count, 0n);
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
  const extensions = (
    used: readonly Edge<Weight>[],
    free: readonly Edge<Weight>[],
  ): readonly (readonly Edge<Weight>[])[] => [
    used,
    // Only edges after the last one, so that every set comes once.
    ...free.flatMap((edge, index) => extensions([...used, edge], freeOf(edge.pair, free.slice(index + 1)))),
  ];
  return extensions([], graph.edges);
}
