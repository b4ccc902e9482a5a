import { probability } from '../../../src/model/units';
import type { Configuration } from '../quantities/configuration';
import type { Estimator } from './estimator';
import type { Interval } from '../intervals/interval';
import { DOUBT, MISFIT, MOST_LOST, type GroupLoss, type LostFit } from './lost-reports';
import { noEstimate } from './measured';
import { chiSquareQuantile, foundNoncentrality, normalQuantile } from '../intervals/normal';
import type { Measure } from '../quantities/measure';
import { StateMeasures } from '../quantities/state-measures';
import { groupKey, mergeTallies, type CountedConfiguration, type GroupTally } from './tally';

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
 * it, or show that groups lost different shares. A source may lose all its reports at once, so the range is as wide as the differences between sources ask for. It does not fit if hardly any
 * report arrived, or more than noise gives: somebody made reports up.
 * @param level of the range.
 */
export function lostHeartbeats(
  counted: readonly Pick<CountedConfiguration, 'configuration' | 'groups'>[],
  level: number,
): LostFit | null {
  const byGroup = new Map<string, HeardGroup>();
  const all = counted.flatMap(({ configuration, groups }) =>
    isHeartbeat(configuration)
      ? [{ reports: new StateMeasures(configuration.shape).measure({ kind: 'conversions' }), groups }]
      : [],
  );
  for (const { reports, groups } of all)
    for (const part of groups) {
      const key = groupKey(part.group);
      const heardOf = [...(byGroup.get(key)?.heardOf ?? []), heard({ reports, groups: [part] })];
      byGroup.set(key, { group: part.group, heardOf });
    }
  const together = lostOfHeard(all.map(heard), level);
  const heardGroups = [...byGroup.values()];
  const parts = heardGroups.filter(({ heardOf }) => total(heardOf, 'expected') >= LEAST_EXPECTED);
  if (together === null) return null;
  if (!areUnlike(parts)) {
    const ofAds = groupsOfAds(counted);
    if (!together.fits || (heardGroups.length < 2 && ofAds.size < 2)) return together;
    const isSilent = [...ofAds].some((group) => !byGroup.has(group));
    return { ...together, unseen: isSilent || parts.length < heardGroups.length ? 1 : unseenIn(parts) };
  }
  const ofGroups = parts.flatMap(({ group, heardOf }): readonly (readonly [string, GroupLoss])[] => {
    const own = lostOfHeard(heardOf, level, parts.length);
    if (own === null) return [];
    const { share, deviation } = arrivingShare(heardOf);
    const rangeAt = (wanted: number): Interval => lostOfHeard(heardOf, wanted)?.range ?? own.range;
    // That the groups differ is known, so a share need not be refuted to count.
    const rate = lostAt(share);
    return [[groupKey(group), { ...own, rate, group, unbounded: 1 - share, deviation, rangeAt }]];
  });
  // It is known that some are lost, so their share need not be refuted to count either.
  return { ...together, rate: lostAt(arrivingShare(all.map(heard)).share), ofGroups: new Map(ofGroups) };
}

/** The groups whose losses heartbeats tell: of values, it is known which are lost. */
const groupsOfAds = (
  counted: readonly Pick<CountedConfiguration, 'configuration' | 'groups'>[],
): ReadonlySet<string> =>
  new Set(
    counted.flatMap(({ configuration, groups }) =>
      configuration.mechanism.kind === 'rr' && !isHeartbeat(configuration)
        ? groups.map(({ group }) => groupKey(group))
        : [],
    ),
  );

interface HeardGroup {
  readonly group: readonly string[];
  readonly heardOf: readonly Heard[];
}

const total = (all: readonly Heard[], of: keyof Heard): number => all.reduce((sum, own) => sum + own[of], 0);

/**
 * Whether groups lost different shares: a χ² test of homogeneity with the error probability `DOUBT`. Sources may differ more than by chance, as they do
 * within groups.
 */
function areUnlike(parts: readonly HeardGroup[]): boolean {
  const all = parts.flatMap(({ heardOf }) => heardOf);
  const { share, arriving, chance } = arrivingShare(all);
  if (parts.length < 2 || chance === 0) return false;
  const distance = parts.reduce((sum, { heardOf }) => {
    const expected = total(heardOf, 'expected');
    const own = chanceOf(heardOf, arriving);
    return sum + (total(heardOf, 'arrived') - share * expected) ** 2 / own;
  }, 0);
  const excess = Math.max(total(all, 'seen') / chance, 1);
  return distance / excess > chiSquareQuantile(parts.length - 1, 1 - DOUBT);
}

/** The test of `areUnlike` finds a difference in so many cases. */
const FOUND = 0.95;

/** Losses add to the variance of what arrives, so the share follows from itself: so many steps are enough. */
const STEPS = 40;

/** The smallest additional share in one group, whichever it is, that this test finds, or 1 if it finds none: then its statistic is χ² with this noncentrality. */
function unseenIn(parts: readonly HeardGroup[]): number {
  const { expected, arriving, excess } = arrivingShare(parts.flatMap(({ heardOf }) => heardOf));
  const apart = Math.sqrt(foundNoncentrality(parts.length - 1, 1 - DOUBT, FOUND));
  return parts.reduce((most, { heardOf }) => {
    const own = total(heardOf, 'expected');
    const chanceAt = (lost: number): number => chanceOf(heardOf, Math.max(arriving - lost, arriving / 2));
    let share = 0;
    for (let step = 0; step < STEPS; step++) {
      const pooled = chanceAt((share * own) / expected);
      // What arrives of the group varies more than the test assumes.
      const wider = Math.sqrt(chanceAt(share) / pooled) - 1;
      share =
        (apart + normalQuantile(FOUND) * wider) *
        Math.sqrt((pooled * excess) / (own ** 2 * (1 - own / expected)));
    }
    // A group cannot lose more than what arrives.
    return share > arriving ? 1 : Math.max(most, share);
  }, 0);
}

/** The variance of the number of arriving reports, if such a share of them arrives and each is lost by itself. */
function chanceOf(all: readonly Heard[], arriving: number): number {
  return arriving ** 2 * total(all, 'spread') + arriving * (1 - arriving) * total(all, 'expected');
}

interface ArrivingShare {
  readonly expected: number;
  /** Above 1 if more arrived than come on average. */
  readonly share: number;
  readonly arriving: number;
  /** See `chanceOf`. */
  readonly chance: number;
  /** How many times as much sources differ as by chance, at least 1. */
  readonly excess: number;
  readonly deviation: number;
}

function arrivingShare(all: readonly Heard[]): ArrivingShare {
  const expected = total(all, 'expected');
  const share = total(all, 'arrived') / expected;
  const arriving = Math.min(share, 1);
  const chance = chanceOf(all, arriving);
  const excess = chance > 0 ? Math.max(total(all, 'seen') / chance, 1) : 1;
  return { expected, share, arriving, chance, excess, deviation: Math.sqrt(chance * excess) / expected };
}

const lostAt = (arriving: number): number => Math.min(Math.max(1 - arriving, 0), MOST_LOST);

/** @param tests how many groups are tested in all. */
function lostOfHeard(all: readonly Heard[], level: number, tests = 1): LostFit | null {
  const counts = {
    expected: total(all, 'expected'),
    spread: total(all, 'spread'),
    arrived: total(all, 'arrived'),
  };
  if (counts.expected < LEAST_EXPECTED) return null;
  const { share, excess } = arrivingShare(all);
  const shares = arrivingShares(counts, normalQuantile((1 + level) / 2) ** 2 * excess);
  if (shares === null) return null;
  const range = [lostAt(shares[1]), lostAt(shares[0])] as const;
  // At the level of the range, complete reports would seem too many too often.
  const least = arrivingShares(counts, normalQuantile(1 - MISFIT / tests) ** 2 * excess)?.[0] ?? 0;
  return {
    rate: range[0] > 0 ? lostAt(share) : 0,
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

function heard({
  reports: { mean, spread, adds },
  groups,
}: {
  readonly reports: Measure;
  readonly groups: readonly GroupTally[];
}): Heard {
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
