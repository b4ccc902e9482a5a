import { recentOf, withLast } from '../model/last-times';
import type { Limits } from '../model/limits';
import type { InternalId, Source } from '../model/records';
import {
  after,
  between,
  days,
  milliseconds,
  moment,
  type Duration,
  type Moment,
  type Site,
} from '../model/units';
import type { Claim, ClaimedDestination, PartyUse } from '../model/uses';
import type { Work } from '../work';
import { siteOf } from '../model/site';
import type { Draft, Need } from '../store/draft';
import { candidateKey, keyOf } from '../store/rows';

/** More claims of a destination are merged, so that the document stays small. */
const MOST_CLAIMS = 64;

type Parties = Pick<Source, 'sourceSite' | 'reportingOrigin'>;

export const partyKey = ({ sourceSite, reportingOrigin }: Parties): string =>
  keyOf(sourceSite, siteOf(reportingOrigin));

export function partyOf(draft: Draft, { sourceSite, reportingOrigin }: Parties): PartyUse {
  const reportingSite = siteOf(reportingOrigin);
  const id = keyOf(sourceSite, reportingSite);
  const unused = { id, sourceSite, reportingSite, origins: [], destinations: [], end: moment(0) };
  return draft.get('partyUse', id) ?? unused;
}

/** How long a destination counts for any limit after its last source. */
const windowOf = ({ destinationRateLimitWindow }: Limits): Duration =>
  milliseconds(Math.max(days(1), destinationRateLimitWindow));

/** Without destinations that no window holds any more, and without expired claims. */
export function destinationsLeft(
  limits: Limits,
  before: PartyUse['destinations'],
  now: Moment,
): PartyUse['destinations'] {
  const window = windowOf(limits);
  const left: ClaimedDestination[] = [];
  for (const claimed of before) {
    const kept = unexpired(claimed, now);
    if (kept.claims.length > 0 || between(kept.time, now) < window) left.push(kept);
  }
  return left;
}

/** @param party with the destinations that are left */
export function putParty(draft: Draft, limits: Limits, party: PartyUse, now: Moment): void {
  const { destinations } = party;
  const origins = recentOf(party.origins, limits.originRateLimitWindow, now);
  if (origins.length === 0 && destinations.length === 0) draft.delete('partyUse', party.id);
  else draft.put('partyUse', { ...party, origins, end: endOfParty({ origins, destinations }, limits) });
}

/** When nothing counts any of it any more. */
export function endOfParty(
  { origins, destinations }: Pick<PartyUse, 'origins' | 'destinations'>,
  limits: Limits,
): Moment {
  const window = windowOf(limits);
  let end = -Infinity;
  for (const { time } of origins) end = Math.max(end, after(time, limits.originRateLimitWindow));
  for (const { time, claims } of destinations) {
    end = Math.max(end, after(time, window));
    for (const { expiry } of claims) end = Math.max(end, expiry);
  }
  return moment(end);
}

function unexpired(claimed: ClaimedDestination, now: Moment): ClaimedDestination {
  const { destination, time, claims, origins } = claimed;
  if (claims.every(({ expiry }) => expiry > now) && origins.every((origin) => origin.time > now))
    return claimed;
  return {
    destination,
    time,
    claims: claims.filter(({ expiry }) => expiry > now),
    origins: origins.filter((origin) => origin.time > now),
  };
}

/** All destinations with a source's claims on its own. */
export function withClaims(before: PartyUse['destinations'], source: Source): PartyUse['destinations'] {
  const all = [...before];
  for (const destination of source.registration.destinations) {
    const place = all.findIndex((claimed) => claimed.destination === destination);
    const claimed = all[place];
    if (claimed === undefined) all.push(withClaim({ destination, ...UNCLAIMED }, source));
    else all[place] = withClaim(claimed, source);
  }
  return all;
}

const UNCLAIMED = { time: moment(0), claims: [], origins: [] } as const;

/** A destination with a source's claim. */
export function withClaim(
  { destination, time: before, claims, origins }: ClaimedDestination,
  { id, time, expiryTime: expiry, reportingOrigin, registration }: Source,
): ClaimedDestination {
  const claim: Claim = { source: id, priority: registration.destinationLimitPriority, time, expiry };
  return {
    destination,
    time: time > before ? time : before,
    claims: claims.every((other) => isDominated(other, claim)) ? [claim] : decisive([...claims, claim]),
    origins: withLast(origins, [reportingOrigin], expiry),
  };
}

/** Best first: by priority, then the newest. */
const rank = (a: Pick<Claim, 'priority' | 'time'>, b: Pick<Claim, 'priority' | 'time'>): number =>
  a.priority === b.priority ? b.time - a.time : a.priority > b.priority ? -1 : 1;

/** Whether `better` is better and expires no earlier. Mostly a new claim dominates the one before. */
const isDominated = (claim: Claim, better: Claim): boolean =>
  rank(better, claim) < 0 && claim.expiry <= better.expiry;

/** Best first, each with a later expiry than the one before. A dominated claim decides nothing: it is gone when the better one is. */
function undominated(claims: readonly Claim[]): readonly Claim[] {
  let lastExpiry = -Infinity;
  return [...claims].sort(rank).filter(({ expiry }) => {
    if (expiry <= lastExpiry) return false;
    lastExpiry = expiry;
    return true;
  });
}

/** The undominated claims, at most `MOST_CLAIMS`: of further ones, the last kept claim gets the latest expiry. Only its own party feels that. */
export function decisive(claims: readonly Claim[]): readonly Claim[] {
  const ranked = undominated(claims);
  const kept = ranked.slice(0, MOST_CLAIMS);
  const [lastKept, latest] = [kept.at(-1), ranked.at(-1)];
  if (lastKept === undefined || latest === undefined || lastKept === latest) return kept;
  return [...kept.slice(0, -1), { ...lastKept, expiry: latest.expiry }];
}

const NO_SOURCES: ReadonlySet<InternalId> = new Set();

/** ARA, "get sources to delete for the unexpired destination limit": by priority, then time; perhaps the new one itself. */
export function sourcesBeyondDestinationLimit(
  { draft, limits }: Work,
  party: PartyUse,
  source: Source,
): ReadonlySet<InternalId> {
  const { registration, time } = source;
  const most = limits.maxDestinationsPerReportingSite;
  if (party.destinations.length + registration.destinations.length <= most) return NO_SOURCES;
  const claims = registration.destinations.map((destination) => ({
    destination,
    priority: registration.destinationLimitPriority,
    time,
  }));
  for (const claimed of party.destinations) {
    const { destination } = claimed;
    const [best] = unexpired(claimed, time).claims;
    if (best !== undefined) claims.push({ destination, priority: best.priority, time: best.time });
  }
  const kept = new Set<Site>();
  const left = new Set<Site>();
  for (const { destination } of claims.sort(byDestinationPriority)) {
    if (kept.size < most) kept.add(destination);
    if (!kept.has(destination)) left.add(destination);
  }
  requireClaimants(draft, party, [...left]);
  const beyond = new Set<InternalId>();
  for (const destination of left) {
    // A claim outlives a source that was deleted for another reason.
    for (const claim of claimedAt(party, destination)?.claims ?? [])
      if (claim.expiry > time) beyond.add(claim.source);
    for (const { id } of claimants(draft, party, destination, time)) beyond.add(id);
    if (registration.destinations.includes(destination)) beyond.add(source.id);
  }
  return beyond;
}

function byDestinationPriority(
  a: Pick<Claim, 'priority' | 'time'> & { readonly destination: Site },
  b: typeof a,
): number {
  return rank(a, b) || (a.destination > b.destination ? -1 : a.destination < b.destination ? 1 : 0);
}

/** The party's unexpired sources for a destination. */
function claimants(draft: Draft, party: PartyUse, destination: Site, now: Moment): readonly Source[] {
  return candidateKeysFor(party, destination)
    .flatMap((key) => draft.candidates(key))
    .filter(({ sourceSite, expiryTime }) => sourceSite === party.sourceSite && expiryTime > now)
    .sort((a, b) => a.id - b.id);
}

/** Loads what `claimants` looks at, for all destinations at once. */
function requireClaimants(draft: Draft, party: PartyUse, destinations: readonly Site[]): void {
  draft.require(() =>
    destinations
      .flatMap((destination) => candidateKeysFor(party, destination))
      .map((key): Need => ({ of: 'candidates', key })),
  );
}

const candidateKeysFor = (party: PartyUse, destination: Site): readonly string[] =>
  (claimedAt(party, destination)?.origins ?? []).map(({ of }) => candidateKey(of, destination));

const claimedAt = ({ destinations }: PartyUse, destination: Site): ClaimedDestination | undefined =>
  destinations.find((claimed) => claimed.destination === destination);

/**
 * Takes back the claims of sources that are deleted for the limit, on all their destinations (ARA, "deactivated for unexpired destination
 * limit"). Claims that they dominated were not stored, so the party's remaining sources claim these destinations anew.
 * @param gone ids of sources of one party, which are still stored
 */
export function withdrawClaims(
  { draft, limits }: Work,
  parties: Parties,
  gone: ReadonlySet<InternalId>,
  now: Moment,
): void {
  const party = partyOf(draft, parties);
  const affected = destinationsOf(draft, party, gone);
  requireClaimants(draft, party, [...affected]);
  const withdrawn = party.destinations.map((claimed) => {
    const { destination } = claimed;
    if (!affected.has(destination)) return claimed;
    const claims = claimed.claims.filter(({ source }) => !gone.has(source));
    const remaining = claimants(draft, party, destination, now).filter(({ id }) => !gone.has(id));
    return remaining.reduce(withClaim, { ...claimed, claims });
  });
  putParty(draft, limits, { ...party, destinations: destinationsLeft(limits, withdrawn, now) }, now);
}

/** The destinations that some sources of a party name or claim. One that is no longer stored can still have a claim. */
function destinationsOf(draft: Draft, party: PartyUse, ids: ReadonlySet<InternalId>): ReadonlySet<Site> {
  const named = [...ids].flatMap((id) => draft.get('sources', id)?.registration.destinations ?? []);
  const claimed = party.destinations.filter(({ claims }) => claims.some(({ source }) => ids.has(source)));
  return new Set([...named, ...claimed.map(({ destination }) => destination)]);
}
