import { CountedJoin } from '../../analysis/estimate/join/counted-join';
import { isHeartbeat } from '../../analysis/estimate/unbiased/heartbeats';
import type { JoinResult } from '../../analysis/estimate/join/join';
import { lastWindowEnd, type SourceGroup } from '../../analysis/estimate/join/joined-groups';
import type { Duration, Moment } from '../../src/model/units';
import { Refusal } from '../http/refusal';
import type { TrueTotal } from '../store/estimate-rows';
import type { ChosenOutcome } from '../store/outcome-totals';
import { outcomeOfRow } from '../store/outcomes';
import type { Questions } from '../store/questions';
import type { SourceFilter } from '../store/source-filter';
import type { OpenAfter } from '../store/source-status';
import type { TrueCount } from '../store/true-counts';
import { MOST_GROUPS } from './limits';

export type Joined = JoinResult & { readonly otherKinds: ReadonlyMap<string, number> };

type Configurations = ReadonlyMap<string, SourceGroup['configuration']>;

/**
 * Joins a store's sources with their reports; the result equals that of `cointoss estimate` on its files. Kept sums have joined most of
 * them already. The tallies have all heartbeats of the dates, whatever else the filter chooses; if it chooses anything, they are in one group.
 * @throws Refusal when there are too many groups.
 */
export async function joinStore(
  store: Questions,
  filter: SourceFilter,
  groupBy: readonly string[],
  { skew, completeUntil }: { readonly skew: Duration; readonly completeUntil: Moment },
): Promise<Joined> {
  const openAfter = openAfterOf(await store.configurationsOfEstimates(), completeUntil);
  const asked = { groupBy, openAfter, skew };
  const { outcomes, unknownSource } = await store.outcomes({ filter, ...asked });
  refuseTooMany(groupBy, outcomes);
  const configurations = await store.configurationsOfEstimates(); // with new ones, whose sources count as open
  const joined = countedOf(outcomes, configurations).result(unknownSource, completeUntil);
  const otherKinds = await store.otherKinds();
  const ids = filter.is.size === 0 ? [] : heartbeatsAmong(configurations);
  if (ids.length === 0) return { ...joined, otherKinds };
  // Ads and heartbeats differ in what a filter asks, such as the destination. Their losses are alike, if at the same time.
  const all = await store.outcomes({
    filter: { ...filter, is: new Map([['configuration', ids]]) },
    ...asked,
    // They are added up, and so many groups of them would not be shown.
    groupBy: [],
  });
  const heartbeats = countedOf(all.outcomes, configurations).result(0, completeUntil);
  const ads = joined.configurations.filter(({ configuration }) => !isHeartbeat(configuration));
  return { ...joined, configurations: [...ads, ...heartbeats.configurations], otherKinds };
}

function countedOf(outcomes: readonly ChosenOutcome[], configurations: Configurations): CountedJoin {
  const join = new CountedJoin();
  for (const { configuration, grouped, open, ...row } of outcomes)
    join.add(
      { configuration: configurations.get(configuration) ?? null, group: grouped },
      open,
      outcomeOfRow(row),
    );
  return join;
}

/** The ids of those that are heartbeats. */
const heartbeatsAmong = (configurations: Configurations): readonly string[] =>
  [...configurations].flatMap(([id, known]) =>
    known !== null && isHeartbeat(known.configuration) ? [id] : [],
  );

/** Configurations whose last report windows are equally long. */
function openAfterOf(configurations: Configurations, completeUntil: Moment): readonly OpenAfter[] {
  const byTime = new Map<number, string[]>();
  for (const [id, known] of configurations) {
    const time = completeUntil - (known === null ? 0 : lastWindowEnd(known.configuration.shape));
    byTime.set(time, [...(byTime.get(time) ?? []), id]);
  }
  return [...byTime].map(([time, ids]) => ({ configurations: ids, time: new Date(time) }));
}

/** What happened to the sources for which `joinStore` gives estimates, by configuration and group. */
export async function joinTruth(
  store: Questions,
  filter: SourceFilter,
  groupBy: readonly string[],
  completeUntil: Moment,
  truth: readonly TrueCount[],
): Promise<readonly TrueTotal[]> {
  const openAfter = openAfterOf(await store.configurationsOfEstimates(), completeUntil);
  return store.trueTotals(filter, groupBy, openAfter, truth);
}

function refuseTooMany(groupBy: readonly string[], outcomes: readonly ChosenOutcome[]): void {
  groupBy.forEach((name, level) => {
    const groups = new Set(outcomes.map(({ grouped }) => JSON.stringify(grouped.slice(0, level + 1)))).size;
    if (groups > MOST_GROUPS)
      throw new Refusal(
        'other',
        `group: ${name} makes ${groups} groups of these sources, must be at most ${MOST_GROUPS}`,
      );
  });
}
