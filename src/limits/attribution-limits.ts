import type { Limits } from '../model/limits';
import type { RateLimitScope, InternalId, Report, Source } from '../model/records';
import { countWith, latest, recentOf, withLast } from '../model/last-times';
import { after, between, moment, type Moment, type Origin, type Site } from '../model/units';
import type { CountedAttribution, PairUse } from '../model/uses';
import type { Work } from '../work';
import { siteOf } from '../model/site';
import type { Draft, Need } from '../store/draft';
import { keyOf } from '../store/rows';

/** An attribution, or one that fake reports stand for. */
export interface NewAttribution<Scope extends RateLimitScope> extends CountedAttribution, Pair {
  readonly scope: Scope;
}

const perPair = {
  'event-attribution': 'trigger-event-attributions-per-source-destination-limit',
  'aggregatable-attribution': 'trigger-aggregate-attributions-per-source-destination-limit',
  'sent-report': 'trigger-event-attributions-per-source-destination-limit',
} as const satisfies Record<RateLimitScope, string>;

export interface ReachedLimit<Scope extends RateLimitScope> {
  readonly reason: (typeof perPair)[Scope] | 'trigger-reporting-origin-limit';
  readonly limit: number;
}

/** What event-level reports are counted as. */
export type EventScope = Exclude<RateLimitScope, 'aggregatable-attribution'>;

export const eventScopeOf = ({ countsWhenSent }: Source): EventScope =>
  countsWhenSent ? 'sent-report' : 'event-attribution';

/** ARA, "check if attribution should be blocked by rate limits"; null: it is not. The window ends at the trigger, as in Chromium. */
export function checkAttributionLimits<Scope extends RateLimitScope>(
  { draft, limits, trace }: Work,
  attribution: NewAttribution<Scope>,
  triggerTime: Moment,
): ReachedLimit<Scope> | null {
  const { scope, origin } = attribution;
  const recent = usesOf(draft, attribution).attributions.filter(
    ({ time }) => between(time, triggerTime) < limits.attributionRateLimitWindow,
  );
  const site = siteOf(origin);
  const attributions = recent.filter((one) => one.scope === scope && siteOf(one.origin) === site).length;
  if (!trace.within('attributions-per-pair', attributions + 1, limits.maxAttributions)) {
    return { reason: perPair[scope], limit: limits.maxAttributions };
  }
  // Attributions of either scope count. But that there is an aggregatable report is a truth, on which no noisy output may depend.
  const counted = scope === 'sent-report' ? recent.filter((one) => one.scope === scope) : recent;
  const origins = new Set([...counted.map((one) => one.origin), origin]).size;
  if (!trace.within('attributing-origins', origins, limits.maxAttributionReportingOrigins)) {
    return { reason: 'trigger-reporting-origin-limit', limit: limits.maxAttributionReportingOrigins };
  }
  return null;
}

export type BlockedByLimit =
  | ReachedLimit<EventScope>
  | { readonly reason: 'trigger-event-storage-limit'; readonly limit: number };

/** The limit that forbids one more event-level report, on attributions or on reports that wait; null: none. */
export function blockedByLimits(
  work: Work,
  attribution: NewAttribution<EventScope>,
  now: Moment,
): BlockedByLimit | null {
  const limited = checkAttributionLimits(work, attribution, now);
  if (limited !== null) return limited;
  const stored = work.draft.get('destinationUse', attribution.destination)?.eventLevel ?? 0;
  const limit = work.limits.maxEventLevelReportsPerDestination;
  return work.trace.within('pending-reports', stored + 1, limit)
    ? null
    : { reason: 'trigger-event-storage-limit', limit };
}

/** @param report null for fake reports */
export function attributionTo<Scope extends RateLimitScope>(
  scope: Scope,
  source: Source,
  destination: Site,
  report: Report | null,
): NewAttribution<Scope> {
  const { sourceSite, reportingOrigin, time } = source;
  return { scope, sourceSite, destination, origin: reportingOrigin, time, report: report?.id ?? null };
}

export function countAttribution(
  { draft, limits }: Pick<Work, 'draft' | 'limits'>,
  attribution: NewAttribution<RateLimitScope>,
  now: Moment,
): void {
  const { scope, origin, time, report } = attribution;
  const use = usesOf(draft, attribution);
  const attributions = [...use.attributions, { scope, origin, time, report }];
  putUse(draft, limits, { ...use, attributions }, now);
}

/** Counts a report that counts when it is sent. It names all destinations of its source, so it counts for each, whether it is true or not. */
export function countSentReport(draft: Draft, limits: Limits, report: Report, now: Moment): void {
  const { event, sourceSite, reportingOrigin: origin, reportTime: time } = report;
  if (event?.countsWhenSent !== true || sourceSite === undefined) return;
  const pairs = event.destinations.map((destination) => ({ sourceSite, destination }));
  draft.require(() => pairs.map((pair): Need => ({ of: 'pairUse', id: pairKey(pair) })));
  for (const pair of pairs)
    countAttribution({ draft, limits }, { scope: 'sent-report', origin, time, report: null, ...pair }, now);
}

/** Removes the counted attribution of a report that was removed before it was sent. */
export function uncountAttribution(
  draft: Draft,
  limits: Limits,
  pair: Pair,
  report: InternalId,
  now: Moment,
): void {
  const use = usesOf(draft, pair);
  const attributions = use.attributions.filter((one) => one.report !== report);
  if (attributions.length < use.attributions.length) putUse(draft, limits, { ...use, attributions }, now);
}

/** The reporting origins with recent sources for a destination on the source's site, its own included. */
export function sourceOriginsFor(
  limits: Limits,
  { sourceOrigins }: PairUse,
  { reportingOrigin, time }: Source,
): number {
  return countWith(recentOf(sourceOrigins, limits.attributionRateLimitWindow, time), [reportingOrigin]);
}

export function countSourceOrigin(
  draft: Draft,
  limits: Limits,
  use: PairUse,
  { reportingOrigin, time }: Source,
): void {
  const sourceOrigins = withLast(use.sourceOrigins, [reportingOrigin], time);
  putUse(draft, limits, { ...use, sourceOrigins }, time);
}

export type Pair = Pick<PairUse, 'sourceSite' | 'destination'>;

export const pairKey = ({ sourceSite, destination }: Pair): string => keyOf(sourceSite, destination);

/** What the destinations of a source used. */
export const pairsOf = (draft: Draft, { sourceSite, registration }: Source): readonly PairUse[] =>
  registration.destinations.map((destination) => usesOf(draft, { sourceSite, destination }));

function usesOf(draft: Draft, pair: Pair): PairUse {
  const { sourceSite, destination } = pair;
  const id = pairKey(pair);
  // All fields, so that those that are counted are only replaced: V8 takes long for more fields after a spread.
  const unused = { id, sourceSite, destination, sourceOrigins: [], attributions: [], end: moment(0) };
  return draft.get('pairUse', id) ?? unused;
}

/** The parts of a pair's document that limits count. */
type Counted = Pick<PairUse, 'sourceOrigins' | 'attributions'>;

/** The time from which no limit counts anything of the pair. */
export function endOfPair(
  { sourceOrigins, attributions }: Counted,
  { attributionRateLimitWindow }: Limits,
): Moment {
  const [source, attribution] = [latest(sourceOrigins), latest(attributions)];
  return after(source > attribution ? source : attribution, attributionRateLimitWindow);
}

/** Writes what can still decide something, or deletes the document if nothing can. */
function putUse(draft: Draft, limits: Limits, use: PairUse, now: Moment): void {
  const { sourceOrigins, attributions } = decisivePart(limits, use, now);
  const end = endOfPair({ sourceOrigins, attributions }, limits);
  if (sourceOrigins.length === 0 && attributions.length === 0) draft.delete('pairUse', use.id);
  else draft.put('pairUse', { ...use, sourceOrigins, attributions, end });
}

function decisivePart(limits: Limits, use: Counted, now: Moment): Counted {
  const window = limits.attributionRateLimitWindow;
  const recent = use.attributions.filter(({ time }) => between(time, now) < window);
  return {
    sourceOrigins: recentOf(use.sourceOrigins, window, now),
    attributions: withoutExcess(recent, limits),
  };
}

/**
 * The attributions without those reports, fake or sent, that cannot change whether a trigger is blocked. Such reports are counted even beyond a
 * limit, so there can be any number of them, and they are never taken back. From the newest to the oldest, it keeps
 *
 * - all of the first `maxAttributionReportingOrigins` + 1 origins up to `maxAttributions` for each reporting site, and the newest of each origin;
 * - none of further origins: while the kept ones count, they block every trigger, and they count longest.
 *
 * What is left out can change the reason for blocking (docs/engine.md, "Where specification and Chromium differ"). To keep the reason, too, a pair
 * would need `maxAttributions` of every reporting site.
 */
function withoutExcess(
  attributions: readonly CountedAttribution[],
  { maxAttributions, maxAttributionReportingOrigins }: Limits,
): readonly CountedAttribution[] {
  if (attributions.length <= maxAttributions) return attributions;
  const origins = new Set<Origin>();
  const kept = new Map<string, number>();
  const isKept = ({ report, scope, origin }: CountedAttribution): boolean => {
    if (report !== null) return true;
    const isNewest = !origins.has(origin);
    if (isNewest && origins.size > maxAttributionReportingOrigins) return false;
    origins.add(origin);
    const key = `${scope} ${siteOf(origin)}`;
    const before = kept.get(key) ?? 0;
    kept.set(key, before + 1);
    return isNewest || before < maxAttributions;
  };
  return [...attributions]
    .sort((a, b) => b.time - a.time)
    .filter(isKept)
    .reverse();
}
