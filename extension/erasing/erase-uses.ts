import { endOfPair } from '../../src/limits/attribution-limits';
import { endOfDebugUse } from '../../src/limits/debug-limits';
import { decisive, endOfParty, withClaim } from '../../src/limits/destination-claims';
import { endOfSite } from '../../src/limits/source-limits';
import { latest, withLast, type LastTimes } from '../../src/model/last-times';
import type { Limits } from '../../src/model/limits';
import { moment, type Moment, type Origin, type Site } from '../../src/model/units';
import type { Source } from '../../src/model/records';
import type {
  ClaimedDestination,
  CountedAttribution,
  DebugUse,
  PairUse,
  PartyUse,
  SiteUse,
} from '../../src/model/uses';
import { siteOf } from '../../src/model/site';
import type { Draft } from '../../src/store/draft';
import type { Rows } from '../../src/store/rows';
import type { AllRows } from './all-rows';
import type { ErasingScope } from './scope';

/** Erases parts of the documents that limits count. */
export function eraseUses(draft: Draft, rows: AllRows, scope: ErasingScope, limits: Limits): void {
  const isSite = (site: Site): boolean => scope.kind === 'sites' && scope.sites.includes(site);
  const isTime = (time: Moment): boolean => scope.kind === 'time' && time >= scope.from && time <= scope.to;
  const left = rows.sources.filter(({ id }) => draft.get('sources', id) !== undefined);
  /** An erased time gives way to those of the sources that are left. @param keysOf what a source was counted by */
  const timesLeft = <Key extends Site | Origin>(
    times: LastTimes<Key>,
    keysOf: (source: Source) => readonly Key[],
  ): LastTimes<Key> => {
    const others = times.filter(({ of, time }) => !isSite(siteOf(of as Origin)) && !isTime(time));
    if (!times.some(({ time }) => isTime(time))) return others;
    return left.reduce<LastTimes<Key>>(
      (known, source) => withLast(known, keysOf(source), source.time),
      others,
    );
  };

  const put = <Name extends UseTable>(table: Name, use: Rows[Name], left: Rows[Name] | null): void => {
    if (left === null) draft.delete(table, use.id);
    else if (!isSame(use, left)) draft.put(table, left);
  };
  for (const use of rows.siteUse) {
    const lastMinute = timesLeft(use.lastMinute, ({ sourceSite, registration }) =>
      sourceSite === use.id ? registration.destinations : [],
    );
    put(
      'siteUse',
      use,
      isSite(use.id) || lastMinute.length === 0
        ? null
        : { ...use, lastMinute, end: endOfSite(lastMinute, limits) },
    );
  }
  for (const { id } of rows.pairUse) {
    // Reports that were erased may have changed it.
    const use = draft.get('pairUse', id);
    if (use === undefined) continue;
    const sourceOrigins = timesLeft(use.sourceOrigins, ({ sourceSite, reportingOrigin, registration }) =>
      sourceSite === use.sourceSite && registration.destinations.includes(use.destination)
        ? [reportingOrigin]
        : [],
    );
    const isLeft = ({ origin, time }: CountedAttribution): boolean =>
      !isSite(siteOf(origin)) && !isTime(time);
    const attributions = use.attributions.filter(isLeft);
    const isEmpty = sourceOrigins.length === 0 && attributions.length === 0;
    const isGone = isSite(use.sourceSite) || isSite(use.destination) || isEmpty;
    const kept = { ...use, sourceOrigins, attributions };
    put('pairUse', use, isGone ? null : { ...kept, end: endOfPair(kept, limits) });
  }
  for (const use of rows.debugUse) {
    const { contextSite, reportingSite } = use;
    const spent = use.spent.filter(({ time }) => !isTime(time));
    // What an erased reporting site used stays in the sum of all, which does not name it.
    const isErased = isSite(contextSite) || (reportingSite !== null && isSite(reportingSite));
    const isGone = isErased || spent.length === 0;
    put('debugUse', use, isGone ? null : { ...use, spent, end: endOfDebugUse(spent) });
  }
  for (const use of rows.partyUse) {
    const ofParty = rows.sources.filter(
      ({ sourceSite, reportingOrigin }) =>
        sourceSite === use.sourceSite && siteOf(reportingOrigin) === use.reportingSite,
    );
    const origins = timesLeft(use.origins, (source) =>
      ofParty.includes(source) ? [source.reportingOrigin] : [],
    );
    const destinations = use.destinations.flatMap((claimed) => {
      const { destination } = claimed;
      if (isSite(destination)) return [];
      const named = ofParty.filter(({ registration }) => registration.destinations.includes(destination));
      return withoutTime(claimed, isTime, named) ?? [];
    });
    const isEmpty = destinations.length === 0 && origins.length === 0;
    const isGone = isSite(use.sourceSite) || isSite(use.reportingSite) || isEmpty;
    const kept = { ...use, origins, destinations };
    put('partyUse', use, isGone ? null : { ...kept, end: endOfParty(kept, limits) });
  }
}

type UseTable = keyof typeof restored;

/** A destination without what is of an erased time. @param sources those of its party that named it, also the erased ones */
function withoutTime(
  claimed: ClaimedDestination,
  isTime: (time: Moment) => boolean,
  sources: readonly Source[],
): ClaimedDestination | null {
  if (![claimed, ...claimed.claims, ...sources].some(({ time }) => isTime(time))) return claimed;
  const claims = claimed.claims.filter(({ time }) => !isTime(time));
  const time = [claimed, ...claims].reduce(
    (last, one) => (isTime(one.time) || one.time < last ? last : one.time),
    NEVER,
  );
  // Claims that the erased ones outranked and outlived count again.
  const left = sources
    .filter(({ time }) => !isTime(time))
    .reduce<ClaimedDestination>(withClaim, {
      destination: claimed.destination,
      time,
      claims,
      origins: [],
    });
  return left.time === NEVER ? null : left;
}

/** Before all times. */
const NEVER = moment(-8.64e15);

const isSame = (a: object, b: object): boolean => textOf(a) === textOf(b);

const textOf = (document: unknown): string =>
  JSON.stringify(document, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));

/** A document as it was before a part was erased, with what was counted since. */
export const restored = {
  siteUse: (before: SiteUse, since: SiteUse): SiteUse => ({
    ...later(before, since),
    lastMinute: lasts(before.lastMinute, since.lastMinute),
  }),
  pairUse: (before: PairUse, since: PairUse): PairUse => ({
    ...later(before, since),
    sourceOrigins: lasts(before.sourceOrigins, since.sourceOrigins),
    attributions: both(before.attributions, since.attributions),
  }),
  debugUse: (before: DebugUse, since: DebugUse): DebugUse => ({
    ...later(before, since),
    spent: both(before.spent, since.spent),
  }),
  partyUse: (before: PartyUse, since: PartyUse): PartyUse => ({
    ...later(before, since),
    origins: lasts(before.origins, since.origins),
    destinations: since.destinations.reduce(withDestination, before.destinations),
  }),
};

const later = <Use extends { readonly end: Moment }>(before: Use, since: Use): Use =>
  before.end > since.end ? before : since;

/** With what was counted since of a destination. */
function withDestination(
  before: PartyUse['destinations'],
  since: ClaimedDestination,
): PartyUse['destinations'] {
  const { destination } = since;
  if (!before.some((one) => one.destination === destination)) return [...before, since];
  return before.map((one) => {
    if (one.destination !== destination) return one;
    const claims = decisive([...one.claims, ...since.claims]);
    return { destination, time: latest([one, since]), claims, origins: lasts(one.origins, since.origins) };
  });
}

/** All of both lists; what is in both, once. */
function both<Item>(before: readonly Item[], since: readonly Item[]): readonly Item[] {
  const counts = new Map<string, number>();
  for (const item of before) counts.set(textOf(item), (counts.get(textOf(item)) ?? 0) + 1);
  const added = since.filter((item) => {
    const left = counts.get(textOf(item)) ?? 0;
    counts.set(textOf(item), left - 1);
    return left <= 0;
  });
  return [...before, ...added];
}

/** The later time of each key. */
const lasts = <Key extends string>(one: LastTimes<Key>, other: LastTimes<Key>): LastTimes<Key> =>
  other.reduce((all, { of, time }) => withLast(all, [of], time), one);
