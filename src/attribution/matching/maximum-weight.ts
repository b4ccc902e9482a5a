import { munkres } from 'munkres';
import type { Graph, Matching } from './graph';

/**
 * A matching of greatest total weight, of which no edge weighs 0 or less: pairs need not be used. An assignment problem in whole
 * numbers (Kuhn 1955, Munkres 1957): every click is assigned, an edge costs −weight, and where there is no edge worth
 * using an assignment costs 0 and is dropped afterwards. Which of several such matchings is found depends on the weights alone.
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
