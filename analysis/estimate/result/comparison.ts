import { within } from '../../../numeric/extremes';
import { pairLevel, ranksOf, type Compared, type Rank } from '../intervals/ranks';
import { sourcesOf, withParents } from '../unbiased/tally';
import type { AnalysedGroup } from './analysis';
import type { Unranked } from './unranked';
import { keyOf, totalsOf, unsaid, type Analysed, type GroupTotal, type Unsaid } from './totals';
import { rateOf, type PartialRate } from '../unbiased/summed-estimates';

/** A group's conversions, and how they compare with those of other groups. */
export interface ComparedTotal extends GroupTotal {
  /** The conversion rate as comparisons see it; null: it cannot be compared. */
  readonly compared: Compared | null;
  readonly rank: Rank | null;
  /** Null for a ranked group, and for all sources together. */
  readonly unranked: Unranked | null;
}

/** A fact about why a group has no rank, for `words/`. Durations are in seconds. */
export type UnrankedNote =
  | { readonly id: `uncovered-${Unsaid}`; readonly count: number; readonly sources: number }
  | {
      readonly id: 'unranked-windows';
      readonly windows: readonly number[];
      readonly usual: readonly number[];
    }
  | { readonly id: 'unranked-unsure' | 'unranked-others' | 'unranked-alone' };

type Noted = Pick<ComparedTotal, 'sources' | 'uncovered' | 'windows' | 'rank' | 'unranked'>;

/** @param totals of all groups of the same level */
export function notesOf(one: Noted, totals: readonly Noted[]): readonly UnrankedNote[] {
  const { sources, uncovered, windows, unranked } = one;
  switch (unranked) {
    case null:
      return [];
    case 'uncovered':
      return unsaid.flatMap((kind) =>
        uncovered[kind] === 0 ? [] : [{ id: `uncovered-${kind}` as const, count: uncovered[kind], sources }],
      );
    case 'windows':
      return [
        {
          id: 'unranked-windows',
          windows,
          usual: totals.find(({ unranked: why }) => why === null || why === 'alone')?.windows ?? [],
        },
      ];
    case 'unsure':
    case 'others':
    case 'alone':
      return [{ id: `unranked-${unranked}` }];
  }
}

/** The order in which groups are shown: those known to be at the top first, then those of which less is known, then those without a rank. */
export function byRank(
  a: Pick<ComparedTotal, 'rank' | 'compared'>,
  b: Pick<ComparedTotal, 'rank' | 'compared'>,
): number {
  if (a.rank === null || b.rank === null) return Number(a.rank === null) - Number(b.rank === null);
  return (
    a.rank.worst - b.rank.worst ||
    a.rank.best - b.rank.best ||
    (b.compared?.estimate ?? 0) - (a.compared?.estimate ?? 0)
  );
}

/**
 * The totals of each group. Those of one level are ranked by conversion rate where that is the same quantity: of all their sources, within the
 * same time.
 * @param level of the intervals, and of all comparisons of groups together
 */
export function comparedTotals(configurations: readonly Analysed[], level: number): readonly ComparedTotal[] {
  const totals = totalsOf(configurations, level);
  const depths = [...new Set(totals.map(({ group }) => group.length))];
  return depths.flatMap((depth) => {
    const groups = totals.filter(({ group }) => group.length === depth);
    return depth === 0
      ? groups.map((all) => ({ ...all, compared: null, rank: null, unranked: null }))
      : rankedAt(groups, configurations, level);
  });
}

/** The groups of one level with their ranks. */
function rankedAt(
  groups: readonly GroupTotal[],
  configurations: readonly Analysed[],
  level: number,
): readonly ComparedTotal[] {
  const analyses = configurations.map(({ analysis }) => analysis);
  const withoutInterval = new Set(
    analyses.flatMap(({ groups: found }) => found.filter((one) => !hasInterval(one)).map(keyOf)),
  );
  // What is wrong with the reports of some groups of a configuration may be wrong with those of its others, too.
  const unsure = new Set(
    analyses
      .filter(({ groups: found }) => found.some((one) => !hasInterval(one)))
      .flatMap(({ groups: found }) => found.map(keyOf)),
  );
  const covered = groups.filter((one) => one.covered === one.sources && !unsure.has(keyOf(one)));
  const usual = usualWindows(covered);
  const rivals = covered.filter(({ windows }) => windows.join() === usual);
  const compared =
    rivals.length < 2 ? new Map<string, Compared>() : comparedRates(configurations, rivals, level);
  const ranks = ranksOf([...compared.values()]);
  const rankOf = new Map([...compared.keys()].map((key, index) => [key, ranks[index] ?? null]));
  return groups.map((one) => {
    const key = keyOf(one);
    const rank = rankOf.get(key) ?? null;
    const reason: Unranked =
      one.covered < one.sources
        ? 'uncovered'
        : unsure.has(key)
          ? withoutInterval.has(key)
            ? 'unsure'
            : 'others'
          : one.windows.join() === usual
            ? 'alone'
            : 'windows';
    return { ...one, compared: compared.get(key) ?? null, rank, unranked: rank === null ? reason : null };
  });
}

/** Of the rate. If reports are lost, other quantities may have none. */
const hasInterval = (found: AnalysedGroup): boolean =>
  found.estimates.every(
    ({ quantity, estimate: { interval } }) =>
      quantity.kind !== 'conversion-rate' || !Number.isNaN(interval[0]),
  );

/** The time within which most sources of these groups count conversions. */
function usualWindows(groups: readonly GroupTotal[]): string {
  const sources = new Map<string, number>();
  for (const { windows, covered } of groups)
    sources.set(windows.join(), (sources.get(windows.join()) ?? 0) + covered);
  return [...sources].reduce<readonly [string, number]>(
    (most, one) => (one[1] > most[1] ? one : most),
    ['', 0],
  )[0];
}

/** The rates of these groups with the intervals that comparisons of all pairs need. */
function comparedRates(
  configurations: readonly Analysed[],
  groups: readonly GroupTotal[],
  level: number,
): ReadonlyMap<string, Compared> {
  const options = { level: pairLevel(level, groups.length), randomness: 'noise-and-sampling' } as const;
  const parts = new Map<string, PartialRate[]>(groups.map((one) => [keyOf(one), []]));
  for (const { tally, analysis } of configurations) {
    for (const one of withParents(tally.groups))
      parts.get(keyOf(one))?.push({
        sources: sourcesOf(one.tally),
        estimate: analysis.estimateOf({ kind: 'conversion-rate' }, one, options),
      });
  }
  return new Map(
    [...parts].map(([key, own]) => {
      const { estimate, interval } = rateOf(own, options.level);
      return [key, { estimate: within(interval, estimate), interval }];
    }),
  );
}
