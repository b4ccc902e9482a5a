import { munkres } from 'munkres';
import type { Graph, Matching } from './graph';

/**
 * A matching of greatest total weight without edges of weight ≤ 0: an assignment problem in whole numbers (Kuhn 1955, Munkres
 * 1957). Every click is assigned. An edge costs −weight; no edge worth using costs 0, and is dropped afterwards. Which of several
 * such matchings it finds depends on the weights alone.
 */
export function maximumWeightMatching({ clicks, conversions, edges }: Graph<bigint>): Matching {
  const costs = Array.from({ length: clicks }, () => Array<bigint>(conversions).fill(0n));
  for (const { pair, weight } of edges) {
    const row = costs[pair.click];
    if (row !== undefined && weight > 0n) row[pair.conversion] = -weight;
  }
  return munkres(costs)
    .filter(([click, conversion]) => (costs[click]?.[conversion] ?? 0n) < 0n)
    .map(([click, conversion]) => ({ click, conversion }))
    .sort((a, b) => a.click - b.click);
}
