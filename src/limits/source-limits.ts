import type { SourceRejection } from '../model/decision';
import { countWith, latest, recentOf, withLast } from '../model/last-times';
import type { Limits } from '../model/limits';
import type { Source } from '../model/records';
import { after, between, days, type Moment, type Site } from '../model/units';
import type { PairUse, PartyUse, SiteUse } from '../model/uses';
import type { Work } from '../work';
import { channelCapacity, largestEpsilonWithin, scopesChannelCapacity } from '../privacy/channel-capacity';
import type { Draft } from '../store/draft';
import { countSourceOrigin, sourceOriginsFor } from './attribution-limits';
import { destinationsLeft, putParty, withClaims } from './destination-claims';

/** Limits on the information in one source's output (ARA, "process an attribution source", up to its randomized response). */
export function checkInformation(
  { limits, trace }: Pick<Work, 'limits' | 'trace'>,
  { states, sourceType, registration }: Pick<Source, 'states' | 'sourceType' | 'registration'>,
): SourceRejection | null {
  const { eventLevelEpsilon, attributionScopes: scopes } = registration;
  if (!trace.within('trigger-state-cardinality', states, limits.maxTriggerStateCardinality)) {
    return { reason: 'source-trigger-state-cardinality-limit', limit: limits.maxTriggerStateCardinality };
  }
  const maxBits = limits.maxChannelCapacity[sourceType];
  const bits = channelCapacity(states, eventLevelEpsilon);
  const fitting = bits <= maxBits ? 'same' : largestEpsilonWithin(maxBits, states, eventLevelEpsilon);
  if (!trace.check('channel-capacity', bits <= maxBits, { bits, limit: maxBits, fitting })) {
    return { reason: 'source-channel-capacity-limit', limit: maxBits };
  }
  if (scopes === null) return null;
  if (sourceType === 'event' && !trace.within('event-states', states, scopes.maxEventStates)) {
    return { reason: 'source-max-event-states-limit', limit: scopes.maxEventStates };
  }
  const maxScopesBits = limits.maxScopesChannelCapacity[sourceType];
  const scopesBits = scopesChannelCapacity(states, scopes.limit, scopes.maxEventStates);
  if (!trace.within('scopes-channel-capacity', scopesBits, maxScopesBits)) {
    return { reason: 'source-scopes-channel-capacity-limit', limit: maxScopesBits };
  }
  return null;
}

/** The other limits of ARA that come before these: on the sources of the page's origin, and on what the reporting site did there. */
export function checkOwnLimits(
  { draft, limits, trace }: Work,
  party: PartyUse,
  source: Source,
): SourceRejection | null {
  const stored = draft.get('originUse', source.sourceOrigin)?.sources ?? 0;
  if (!trace.within('sources-of-origin', stored + 1, limits.maxSourcesPerOrigin)) {
    return { reason: 'source-storage-limit', limit: limits.maxSourcesPerOrigin };
  }
  const recent = recentOf(party.origins, limits.originRateLimitWindow, source.time);
  const origins = countWith(recent, [source.reportingOrigin]);
  const maxOrigins = limits.maxReportingOriginsPerSourceReportingSite;
  if (!trace.within('origins-per-site', origins, maxOrigins)) {
    return { reason: 'source-reporting-origin-per-site-limit', limit: maxOrigins };
  }
  const { destinations } = party;
  const within = (window: number): number =>
    destinationsWithin(destinations, ({ destination }) => destination, source, window);
  const perMinute = within(limits.destinationRateLimitWindow);
  const maxPerMinute = limits.maxDestinationsPerRateLimitWindowAndReportingSite;
  if (!trace.within('destinations-per-minute', perMinute, maxPerMinute)) {
    return { reason: 'source-destination-rate-limit', limit: maxPerMinute };
  }
  const perDay = within(days(1));
  const maxPerDay = limits.maxDestinationsPerReportingSiteAndDay;
  if (!trace.within('destinations-per-day', perDay, maxPerDay)) {
    return { reason: 'source-destination-per-day-rate-limit', limit: maxPerDay };
  }
  return null;
}

/** Limits that depend on other reporting sites. They come last, and verbose debug reports hide them (`looksStored` in reports/verbose.ts). */
export function checkSharedLimits(
  { draft, limits, trace }: Work,
  pairs: readonly PairUse[],
  source: Source,
): SourceRejection | null {
  const destinations = destinationsWithin(
    lastMinuteOf(draft, source.sourceSite),
    ({ of }) => of,
    source,
    limits.destinationRateLimitWindow,
  );
  if (!trace.within('destinations-of-all', destinations, limits.maxDestinationsPerRateLimitWindow)) {
    return { reason: 'source-destination-global-rate-limit' };
  }
  for (const pair of pairs) {
    const count = sourceOriginsFor(limits, pair, source);
    const { destination } = pair;
    const limit = limits.maxSourceReportingOrigins;
    if (!trace.check('origins-per-destination', count <= limit, { destination, count, limit })) {
      return { reason: 'source-reporting-origin-limit' };
    }
  }
  return null;
}

/** Distinct destinations within the window and of the new source. A source lives longer than any such window. */
function destinationsWithin<Use extends { readonly time: Moment }>(
  uses: readonly Use[],
  siteOfUse: (use: Use) => Site,
  { time, registration }: Source,
  window: number,
): number {
  const { destinations } = registration;
  let count = destinations.length;
  for (const use of uses)
    if (between(use.time, time) < window && !destinations.includes(siteOfUse(use))) count += 1;
  return count;
}

/** Counts a stored source for the limits of its site, of its party and of its destinations there. */
export function countSource(
  { draft, limits }: Work,
  party: PartyUse,
  pairs: readonly PairUse[],
  source: Source,
): void {
  countDestinations(draft, limits, source);
  for (const pair of pairs) countSourceOrigin(draft, limits, pair, source);
  const left = destinationsLeft(limits, party.destinations, source.time);
  const origins = withLast(party.origins, [source.reportingOrigin], source.time);
  putParty(draft, limits, { ...party, origins, destinations: withClaims(left, source) }, source.time);
}

const lastMinuteOf = (draft: Draft, site: Site): SiteUse['lastMinute'] =>
  draft.get('siteUse', site)?.lastMinute ?? [];

function countDestinations(draft: Draft, limits: Limits, { sourceSite, time, registration }: Source): void {
  const window = limits.destinationRateLimitWindow;
  const before = recentOf(lastMinuteOf(draft, sourceSite), window, time);
  const lastMinute = withLast(before, registration.destinations, time);
  draft.put('siteUse', { id: sourceSite, lastMinute, end: endOfSite(lastMinute, limits) });
}

/** When nothing counts any of it any more. */
export const endOfSite = (
  lastMinute: SiteUse['lastMinute'],
  { destinationRateLimitWindow }: Limits,
): Moment => after(latest(lastMinute), destinationRateLimitWindow);
