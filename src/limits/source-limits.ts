import type { SourceRejection } from '../model/decision';
import type { InternalId, RateLimitRecord, Source } from '../model/records';
import { between, days, type Site } from '../model/units';
import type { Work } from '../work';
import { channelCapacity, largestEpsilonWithin, scopesChannelCapacity } from '../privacy/channel-capacity';
import { siteOf } from '../parsing/site';
import { distinctOrigins, recentRecords, type NewRecord } from './attribution-limits';

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
  const stored = await tx.table('sources').countWhere('sourceOrigin', source.sourceOrigin);
  if (!trace.within('sources-of-origin', stored + 1, limits.maxSourcesPerOrigin)) {
    return { reason: 'source-storage-limit', limit: limits.maxSourcesPerOrigin };
  }
  const records = await sourceRecords(work, source);
  const sameSite = ofReportingSite(records, source);

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
  const { limits, trace } = work;
  const records = await sourceRecords(work, source);
  const destinations = destinationsWithin(records, source, limits.destinationRateLimitWindow);
  if (!trace.within('destinations-of-all', destinations, limits.maxDestinationsPerRateLimitWindow)) {
    return { reason: 'source-destination-global-rate-limit' };
  }
  for (const record of recordsOf(source, 'source')) {
    const origins = distinctOrigins(await recentRecords(work, record, source.time), record);
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
  const unexpired = ofReportingSite(await sourceRecords(work, source), source).filter(
    ({ deactivatedForDestinationLimit, expiryTime }) =>
      !deactivatedForDestinationLimit && (expiryTime ?? 0) > source.time,
  );
  const kept = new Set<Site>();
  const beyond = new Set<InternalId>();
  for (const record of [...unexpired, ...recordsOf(source, 'source')].sort(byDestinationPriority)) {
    if (kept.size < work.limits.maxDestinationsPerReportingSite) kept.add(record.destination);
    else if (!kept.has(record.destination) && record.entityId !== null) beyond.add(record.entityId);
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

const sourceRecords = ({ tx }: Work, source: Source): Promise<RateLimitRecord[]> =>
  tx.table('rateLimits').where('sourceSite', `source ${source.sourceSite}`);

const ofReportingSite = (records: readonly RateLimitRecord[], source: Source): readonly RateLimitRecord[] => {
  const site = siteOf(source.reportingOrigin);
  return records.filter(({ reportingSite }) => reportingSite === site);
};

/** Distinct destinations of unexpired records within the window and of the new source. */
function destinationsWithin(records: readonly RateLimitRecord[], source: Source, window: number): number {
  const recent = records.filter(
    ({ time, expiryTime }) => (expiryTime ?? 0) > source.time && between(time, source.time) < window,
  );
  return new Set([...recent.map(({ destination }) => destination), ...source.registration.destinations]).size;
}
