import type { AnalysisOptions } from '../estimate/analysis';
import { estimatorOf } from '../estimate/estimator-of';
import { normalQuantile } from '../estimate/normal';
import type { Quantity } from '../estimate/quantities';
import type { Estimate } from '../estimate/response-estimate';
import { mergeTallies, type ConfigurationTally, type GroupTally } from '../estimate/tally';
import { windowQuantity, type GroupResult } from './result';

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
 * Estimates for the groups of each level. Sources of several configurations are estimated by themselves and added up; the interval of the sum
 * is that of a normal distribution.
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
  const sums = new Map<string, GroupResult>();
  for (const { configuration, groups } of configurations) {
    const estimator = estimatorOf(configuration);
    levels.forEach((level, index) => {
      for (const { group, tally } of projected(groups, columns, level))
        for (const quantity of estimator.quantities) {
          const name = nameOf(quantity);
          if (name === null) continue;
          const key = JSON.stringify([index, name, group]);
          const estimate = estimator.estimate(quantity, tally, options);
          const known = sums.get(key);
          const result = { level: index, group, quantity: name };
          sums.set(
            key,
            known === undefined ? { ...result, ...numbersOf(estimate) } : added(known, estimate, confidence),
          );
        }
    });
  }
  return [...sums.values()];
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
  variance: Math.min(variance, Number.MAX_VALUE),
  low: Math.max(low, -Number.MAX_VALUE),
  high: Math.min(high, Number.MAX_VALUE),
});

function added(known: GroupResult, other: Estimate, confidence: number): GroupResult {
  const variance = Math.min(known.variance + other.variance, Number.MAX_VALUE);
  const estimate = known.estimate + other.estimate;
  const half = normalQuantile((1 + confidence) / 2) * Math.sqrt(Math.max(variance, 0));
  const observed = known.observed + other.observed;
  return { ...known, observed, estimate, variance, low: estimate - half, high: estimate + half };
}
