import { endOfPair } from '../../src/limits/attribution-limits';
import { endOfDebugUse } from '../../src/limits/debug-limits';
import { decisive, endOfParty, withClaim } from '../../src/limits/destination-claims';
import { endOfSite } from '../../src/limits/source-limits';
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
import type { Rows } from '../../src/store/store';
import type { AllRows } from './all-rows';
import type { ErasingScope } from './scope';

/** Erases parts of the documents that limits count. */
export function eraseUses(draft: Draft, rows: AllRows, scope: ErasingScope, limits: Limits): void {
  const isSite = (site: Site): boolean => scope.kind === 'sites' && scope.sites.includes(site);
  const isTime = (time: Moment): boolean => scope.kind === 'time' && time >= scope.from && time <= scope.to;
  const left = rows.sources.filter(({ id }) => draft.get('sources', id) !== undefined);
  /** An erased time gives way to those of the sources that are left. @param keysOf what a source was counted by */
  const timesLeft = <Key extends Site | Origin>(
    times: ReadonlyMap<Key, Moment>,
    keysOf: (source: Source) => readonly Key[],
  ): ReadonlyMap<Key, Moment> => {
    const others = new Map([...times].filter(([of, time]) => !isSite(siteOf(of as Origin)) && !isTime(time)));
    if (![...times.values()].some(isTime)) return others;
    const remaining = left.flatMap((source) => keysOf(source).map((key) => [key, source.time] as const));
    return remaining.reduce<ReadonlyMap<Key, Moment>>((latest, one) => lasts(latest, new Map([one])), others);
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
      isSite(use.id) || lastMinute.size === 0
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
    const isEmpty = sourceOrigins.size === 0 && attributions.length === 0;
    const isGone = isSite(use.sourceSite) || isSite(use.destination) || isEmpty;
    const kept = { ...use, sourceOrigins, attributions };
    put('pairUse', use, isGone ? null : { ...kept, end: endOfPair(kept, limits) });
  }
  for (const use of rows.debugUse) {
    const spent = use.spent.filter(({ reportingSite, time }) => !isSite(reportingSite) && !isTime(time));
    put(
      'debugUse',
      use,
      isSite(use.id) || spent.length === 0 ? null : { ...use, spent, end: endOfDebugUse(spent) },
    );
  }
  for (const use of rows.partyUse) {
    const ofParty = rows.sources.filter(
      ({ sourceSite, reportingOrigin }) =>
        sourceSite === use.sourceSite && siteOf(reportingOrigin) === use.reportingSite,
    );
    const origins = timesLeft(use.origins, (source) =>
      ofParty.includes(source) ? [source.reportingOrigin] : [],
    );
    const destinations = new Map(
      [...use.destinations].flatMap(([destination, claimed]) => {
        const left = isSite(destination)
          ? null
          : withoutTime(
              claimed,
              isTime,
              ofParty.filter(({ registration }) => registration.destinations.includes(destination)),
            );
        return left === null ? [] : [[destination, left] as const];
      }),
    );
    const isEmpty = destinations.size === 0 && origins.size === 0;
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
  if (![claimed.last, ...[...claimed.claims, ...sources].map(({ time }) => time)].some(isTime))
    return claimed;
  const claims = claimed.claims.filter(({ time }) => !isTime(time));
  const latest = [claimed.last, ...claims.map(({ time }) => time)].reduce(
    (last, time) => (isTime(time) || time < last ? last : time),
    NEVER,
  );
  // Claims that the erased ones outranked and outlived count again.
  const left = sources
    .filter(({ time }) => !isTime(time))
    .reduce<ClaimedDestination>(withClaim, { last: latest, claims, origins: new Map() });
  return left.last === NEVER ? null : left;
}

/** Before all times. */
const NEVER = moment(-8.64e15);

const isSame = (a: object, b: object): boolean => textOf(a) === textOf(b);

const textOf = (document: unknown): string =>
  JSON.stringify(document, (_key, value: unknown) =>
    typeof value === 'bigint'
      ? `${value}n`
      : value instanceof Map
        ? [...(value as ReadonlyMap<unknown, unknown>)]
        : value,
  );

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
    destinations: new Map(
      [...new Set([...before.destinations.keys(), ...since.destinations.keys()])].flatMap((destination) => {
        const [one, other] = [before.destinations.get(destination), since.destinations.get(destination)];
        if (one === undefined || other === undefined) return [[destination, one ?? other]] as never;
        const claims = decisive([...one.claims, ...other.claims]);
        const last = one.last > other.last ? one.last : other.last;
        return [[destination, { last, claims, origins: lasts(one.origins, other.origins) }] as const];
      }),
    ),
  }),
};

const later = <Use extends { readonly end: Moment }>(before: Use, since: Use): Use =>
  before.end > since.end ? before : since;

function lasts<Key>(
  before: ReadonlyMap<Key, Moment>,
  since: ReadonlyMap<Key, Moment>,
): ReadonlyMap<Key, Moment> {
  const all = new Map(before);
  for (const [key, time] of since) {
    const one = all.get(key);
    if (one === undefined || one < time) all.set(key, time);
  }
  return all;
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
