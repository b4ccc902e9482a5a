import type { AnalysisOptions } from '../estimate/result/analysis';
import { estimatorOf } from '../estimate/unbiased/estimator-of';
import { isHeartbeat } from '../estimate/unbiased/heartbeats';
import type { Quantity } from '../estimate/quantities/quantities';
import type { Estimate } from '../estimate/unbiased/response-estimate';
import { mergeTallies, type ConfigurationTally, type GroupTally } from '../estimate/unbiased/tally';
import { sumOf } from '../estimate/unbiased/summed-estimates';
import { finiteOrNull, windowQuantity, type GroupResult } from './result';

/** Sums over all sources. */
const TOTALS: readonly string[] = [
  'conversions',
  'value',
  'label-sum',
  'binned-sum',
] satisfies Quantity['kind'][];

/** The name of a quantity that experiments measure; null for others. */
function nameOf(quantity: Quantity): string | null {
  if (quantity.kind === 'window') return windowQuantity(quantity.windowEnd);
  return TOTALS.includes(quantity.kind) ? quantity.kind : null;
}

/**
 * Estimates for the groups of each level. Sources of several configurations are estimated separately and added up as in the totals of `estimate`.
 * @param columns by which the tallies are grouped.
 * @param levels lists of these columns.
 */
export function measureGroups(
  configurations: readonly ConfigurationTally[],
  columns: readonly string[],
  levels: readonly (readonly string[])[],
  confidence: number,
): readonly GroupResult[] {
  const options: AnalysisOptions = {
    level: confidence,
    randomness: 'noise',
    likelihood: false,
    singles: false,
  };
  const parts = new Map<
    string,
    Pick<GroupResult, 'level' | 'group' | 'quantity'> & { estimates: Estimate[] }
  >();
  for (const { configuration, groups } of configurations) {
    if (isHeartbeat(configuration)) continue;
    const estimator = estimatorOf(configuration);
    levels.forEach((level, index) => {
      for (const { group, tally } of projected(groups, columns, level))
        for (const quantity of estimator.quantities) {
          const name = nameOf(quantity);
          if (name === null) continue;
          const key = JSON.stringify([index, name, group]);
          const known = parts.get(key) ?? { level: index, group, quantity: name, estimates: [] };
          known.estimates.push(estimator.estimate(quantity, tally, options));
          parts.set(key, known);
        }
    });
  }
  return [...parts.values()].map(({ estimates, ...place }) => ({
    ...place,
    ...numbersOf(sumOf(estimates, confidence)),
  }));
}

/** The tallies of larger groups, by some of the columns. */
function projected(
  groups: readonly GroupTally[],
  columns: readonly string[],
  level: readonly string[],
): readonly GroupTally[] {
  const places = level.map((column) => columns.indexOf(column));
  const found = new Map<string, { group: readonly string[]; tallies: GroupTally['tally'][] }>();
  for (const { group, tally } of groups) {
    const values = places.map((place) => group[place] ?? '');
    const key = JSON.stringify(values);
    const known = found.get(key);
    if (known === undefined) found.set(key, { group: values, tallies: [tally] });
    else known.tallies.push(tally);
  }
  return [...found.values()].map(({ group, tallies }) => ({ group, tally: mergeTallies(tallies) }));
}

const numbersOf = ({
  observed,
  estimate,
  variance,
  interval: [low, high],
}: Estimate): Omit<GroupResult, 'level' | 'group' | 'quantity'> => ({
  observed,
  estimate,
  variance: finiteOrNull(variance),
  low: finiteOrNull(low),
  high: finiteOrNull(high),
});
