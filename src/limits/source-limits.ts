import type { SourceRejection } from '../model/decision';
import type { InternalId, RateLimitRecord, Source } from '../model/records';
import { between, days, type Site } from '../model/units';
import type { Work } from '../work';
import { channelCapacity, largestEpsilonWithin, scopesChannelCapacity } from '../privacy/channel-capacity';
import { siteOf } from '../parsing/site';
import { dayOf, minuteOf, ordered, under, type KeyedRow } from '../store/store';
import { recentOrigins, type NewRecord } from './attribution-limits';

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

/** Limits on what the reporting site itself did, so that it may be told of them. */
export async function checkOwnLimits(work: Work, source: Source): Promise<SourceRejection | null> {
  const { tx, limits, trace } = work;
  const [stored, sameSite] = await Promise.all([
    tx.table('sources').countWhere('sourceOrigin', source.sourceOrigin),
    recentRecords(work, source),
  ]);
  if (!trace.within('sources-of-origin', stored + 1, limits.maxSourcesPerOrigin)) {
    return { reason: 'source-storage-limit', limit: limits.maxSourcesPerOrigin };
  }
  const origins = new Set([
    ...sameSite
      .filter(({ time }) => between(time, source.time) < limits.originRateLimitWindow)
      .map(({ reportingOrigin }) => reportingOrigin),
    source.reportingOrigin,
  ]).size;
  const maxOrigins = limits.maxReportingOriginsPerSourceReportingSite;
  if (!trace.within('origins-per-site', origins, maxOrigins)) {
    return { reason: 'source-reporting-origin-per-site-limit', limit: maxOrigins };
  }
  const perMinute = destinationsWithin(sameSite, source, limits.destinationRateLimitWindow);
  const maxPerMinute = limits.maxDestinationsPerRateLimitWindowAndReportingSite;
  if (!trace.within('destinations-per-minute', perMinute, maxPerMinute)) {
    return { reason: 'source-destination-rate-limit', limit: maxPerMinute };
  }
  const perDay = destinationsWithin(sameSite, source, days(1));
  const maxPerDay = limits.maxDestinationsPerReportingSiteAndDay;
  if (!trace.within('destinations-per-day', perDay, maxPerDay)) {
    return { reason: 'source-destination-per-day-rate-limit', limit: maxPerDay };
  }
  return null;
}

/** Limits that depend on other origins. Debug reports must not reveal them: they come last and are reported as success. */
export async function checkSharedLimits(work: Work, source: Source): Promise<SourceRejection | null> {
  const { tx, limits, trace } = work;
  const window = limits.destinationRateLimitWindow;
  const { above, below } = under(source.sourceSite);
  const begin = `${above}${ordered(minuteOf(source.time - window))}`;
  const records = await tx.table('rateLimits').lastOfEach('minute', { above: begin, below });
  const destinations = destinationsWithin(rowsOf(records), source, window);
  if (!trace.within('destinations-of-all', destinations, limits.maxDestinationsPerRateLimitWindow)) {
    return { reason: 'source-destination-global-rate-limit' };
  }
  for (const record of recordsOf(source, 'source')) {
    const { length: origins } = await recentOrigins(work, record, source.time);
    const { destination } = record;
    const limit = limits.maxSourceReportingOrigins;
    const values = { destination, count: origins, limit };
    if (!trace.check('origins-per-destination', origins <= limit, values)) {
      return { reason: 'source-reporting-origin-limit' };
    }
  }
  return null;
}

/** The source's rate-limit records, one for each destination. */
export function recordsOf(source: Source, scope: RateLimitRecord['scope']): readonly NewRecord[] {
  return source.registration.destinations.map((destination) => ({
    scope,
    sourceSite: source.sourceSite,
    destination,
    reportingOrigin: source.reportingOrigin,
    reportingSite: siteOf(source.reportingOrigin),
    time: source.time,
    expiryTime: scope === 'source' ? source.expiryTime : null,
    entityId: scope === 'source' ? source.id : null,
    deactivatedForDestinationLimit: false,
    destinationLimitPriority: source.registration.destinationLimitPriority,
  }));
}

/** ARA, "get sources to delete for the unexpired destination limit": by priority, then time; perhaps the new one itself. */
export async function sourcesBeyondDestinationLimit(
  work: Work,
  source: Source,
): Promise<ReadonlySet<InternalId>> {
  const { tx, limits } = work;
  const ofSites = [source.sourceSite, siteOf(source.reportingOrigin)] as const;
  const best = rowsOf(await tx.table('rateLimits').lastOfEach('destination', under(...ofSites)));
  const kept = new Set<Site>();
  const beyond = new Set<InternalId>();
  for (const { destination } of [...best, ...recordsOf(source, 'source')].sort(byDestinationPriority)) {
    if (kept.size < limits.maxDestinationsPerReportingSite) kept.add(destination);
    if (kept.has(destination)) continue;
    for (const { entityId } of await tx
      .table('rateLimits')
      .where('destination', under(...ofSites, destination)))
      if (entityId !== null) beyond.add(entityId);
    if (source.registration.destinations.includes(destination)) beyond.add(source.id);
  }
  return beyond;
}

function byDestinationPriority(a: NewRecord, b: NewRecord): number {
  if (a.destinationLimitPriority !== b.destinationLimitPriority) {
    return a.destinationLimitPriority > b.destinationLimitPriority ? -1 : 1;
  }
  if (a.time !== b.time) return b.time - a.time;
  return a.destination > b.destination ? -1 : a.destination < b.destination ? 1 : 0;
}

/** Of the records of the source's sites in the windows of its own limits, the newest of each day, reporting origin and destination. */
async function recentRecords(
  { tx, limits }: Work,
  { sourceSite, reportingOrigin, time }: Source,
): Promise<readonly RateLimitRecord[]> {
  const longest = Math.max(days(1), limits.originRateLimitWindow, limits.destinationRateLimitWindow);
  const { above, below } = under(sourceSite, siteOf(reportingOrigin));
  const begin = `${above}${ordered(dayOf(time - longest))}`;
  return rowsOf(await tx.table('rateLimits').lastOfEach('day', { above: begin, below }));
}

const rowsOf = (found: readonly KeyedRow<'rateLimits'>[]): readonly RateLimitRecord[] =>
  found.map(({ row }) => row);

/** Distinct destinations of unexpired records within the window and of the new source. */
function destinationsWithin(records: readonly RateLimitRecord[], source: Source, window: number): number {
  const recent = records.filter(
    ({ time, expiryTime }) => (expiryTime ?? 0) > source.time && between(time, source.time) < window,
  );
  return new Set([...recent.map(({ destination }) => destination), ...source.registration.destinations]).size;
}
