import { probability } from '../../../src/model/units';
import type { Configuration } from '../quantities/configuration';
import type { Estimator } from './estimator';
import type { Interval } from '../intervals/interval';
import { MISFIT, MOST_LOST, type LostFit } from './lost-reports';
import { noEstimate } from './measured';
import { normalQuantile } from '../intervals/normal';
import { StateMeasures } from '../quantities/state-measures';
import { groupKey, mergeTallies, type CountedConfiguration } from './tally';

/**
 * Sources that are registered with ε = 0. Their reports are noise alone, and cost nothing. So it is known how many should come, and how many are
 * lost.
 */
export const isHeartbeat = ({ epsilon, mechanism }: Configuration): boolean =>
  epsilon === 0 && mechanism.kind === 'rr';

/** Reads outputs, and estimates nothing. */
export function heartbeatEstimator({ shape }: Configuration): Estimator {
  const measures = new StateMeasures(shape);
  return {
    outputs: measures.states,
    replaceProbability: probability(1),
    quantities: [],
    hidden: measures.all,
    valued: false,
    outputOf: () => null,
    isOutput: (output) => BigInt(output) < measures.states,
    shortfall: () => null,
    aspects: [],
    single: null,
    likelihood: null,
    estimate: (quantity) => {
      throw noEstimate(quantity);
    },
  };
}

/** With fewer expected reports, they say too little. */
const LEAST_EXPECTED = 100;

interface Heard {
  /** The mean number of reports that noise gives these sources, and its variance. */
  readonly expected: number;
  readonly spread: number;
  readonly arrived: number;
  /** An estimate of the variance of `arrived` from the differences between sources; 0 if there are none. */
  readonly seen: number;
}

/**
 * The share of lost reports by the heartbeats among these sources; null if there are too few. No report counts as lost unless the heartbeats refute
 * it. A source may lose all its reports at once, so the range is as wide as the differences between sources ask for. It does not fit if hardly any
 * report arrived, or more than noise gives: somebody made reports up.
 * @param level of the range.
 */
export function lostHeartbeats(
  counted: readonly Pick<CountedConfiguration, 'configuration' | 'groups'>[],
  level: number,
): LostFit | null {
  const byGroup = new Map<string, Heard[]>();
  const all = counted.filter(({ configuration }) => isHeartbeat(configuration));
  for (const { configuration, groups } of all)
    for (const part of groups) {
      const key = groupKey(part.group);
      byGroup.set(key, [...(byGroup.get(key) ?? []), heard({ configuration, groups: [part] })]);
    }
  const together = lostOfHeard(all.map(heard), level);
  if (together === null || byGroup.size < 2) return together;
  const ofGroups = new Map<string, LostFit>();
  for (const [key, own] of byGroup) {
    const lost = lostOfHeard(own, level);
    if (lost !== null) ofGroups.set(key, lost);
  }
  return { ...together, ofGroups };
}

function lostOfHeard(all: readonly Heard[], level: number): LostFit | null {
  const over = (of: keyof Heard): number => all.reduce((sum, own) => sum + own[of], 0);
  const [expected, arrived, spread] = [over('expected'), over('arrived'), over('spread')];
  if (expected < LEAST_EXPECTED) return null;
  const share = Math.min(arrived / expected, 1);
  const byChance = share ** 2 * spread + share * (1 - share) * expected;
  const excess = byChance > 0 ? Math.max(over('seen') / byChance, 1) : 1;
  const counts = { expected, spread, arrived };
  const shares = arrivingShares(counts, normalQuantile((1 + level) / 2) ** 2 * excess);
  if (shares === null) return null;
  const lost = (arriving: number): number => Math.min(Math.max(1 - arriving, 0), MOST_LOST);
  const range = [lost(shares[1]), lost(shares[0])] as const;
  // At the level of the range, complete reports would seem too many too often.
  const least = arrivingShares(counts, normalQuantile(1 - MISFIT) ** 2 * excess)?.[0] ?? 0;
  return {
    rate: range[0] > 0 ? lost(share) : 0,
    range,
    from: 'heartbeats',
    fits: range[1] < MOST_LOST && least <= 1,
  };
}

/**
 * Score interval (as Wilson 1927): the shares at which `arrived` is as far from its mean as allowed, also above 1; null if it has no end.
 * @param most the square of so many standard deviations.
 */
function arrivingShares(
  { expected, spread, arrived }: Pick<Heard, 'expected' | 'spread' | 'arrived'>,
  most: number,
): Interval | null {
  const a = expected ** 2 - most * (spread - expected);
  const b = 2 * arrived * expected + most * expected;
  const root = Math.sqrt(Math.max(b ** 2 - 4 * a * arrived ** 2, 0));
  return a <= 0 ? null : [(b - root) / (2 * a), (b + root) / (2 * a)];
}

function heard({ configuration, groups }: Pick<CountedConfiguration, 'configuration' | 'groups'>): Heard {
  const { mean, spread, adds } = new StateMeasures(configuration.shape).measure({ kind: 'conversions' });
  let [sources, arrived, squares] = [0, 0, 0];
  for (const [output, count] of mergeTallies(groups.map(({ tally }) => tally))) {
    sources += count;
    arrived += count * adds(output);
    squares += count * adds(output) ** 2;
  }
  return {
    expected: sources * mean,
    spread: sources * spread,
    arrived,
    seen: sources < 2 ? 0 : ((squares - arrived ** 2 / sources) * sources) / (sources - 1),
  };
}
