import {
  attributionTo,
  blockedByLimits,
  countAttribution,
  eventScopeOf,
  type BlockedByLimit,
  type EventScope,
  type NewAttribution,
} from '../limits/attribution-limits';
import type { CheckValues } from '../model/checks';
import type { SingleDecision, TriggerDrop } from '../model/decision';
import type { Report, Source } from '../model/records';
import type { Moment } from '../model/units';
import type { ReportContents } from '../reports/body';
import type { Draft } from '../store/draft';
import type { Work } from '../work';
import { debugCopy, noiseKind, obtainReport } from '../reports/event-level-report';
import { addReport, pendingReports, withdrawReport } from '../reports/pending';
import { findTriggerData } from '../states/source-space';
import type { Trigger } from '../model/trigger';
import { attributeFlexibly } from './flexible';
import { findWindow, type MatchedConversion } from './report-windows';

/** ARA, "trigger event-level attribution". @param share of the value of each configuration; one without a share does not match. */
export function triggerEventLevelAttribution(
  work: Work,
  trigger: Trigger,
  source: Source,
  share: (value: number) => number,
): SingleDecision {
  const match = matchConversion(work, trigger, source, share);
  if ('reason' in match) return { kind: 'dropped', sourceId: source.id, ...match };
  return source.flexible === null
    ? attributeWithoutSpecs(work, trigger, source, match)
    : attributeFlexibly(work, trigger, source, source.flexible, match);
}

/** The checks that need only the trigger and the source, in the specification's order. */
function matchConversion(
  { trace }: Work,
  trigger: Trigger,
  source: Source,
  share: (value: number) => number,
): MatchedConversion | TriggerDrop {
  const { registration } = source;
  const configs = trigger.registration.eventTriggerData;
  if (configs.length === 0) return { reason: 'no-event-trigger-data' };
  if (!trace.check('source-within-budget', source.overBudget === undefined, {}))
    return { reason: 'trigger-source-over-budget' };
  if (!trace.check('source-not-noised', !isOutputDecided(source), noiseOf(source)))
    return { reason: 'trigger-event-noise' };
  const matches = trigger.matcherOf(configs)(source);
  const config = configs.find(({ value }, index) => matches(index) && share(value) > 0);
  if (!trace.found('event-trigger-data-filters', config, { count: configs.length }))
    return { reason: 'trigger-event-no-matching-configurations' };
  const { deduplicationKey } = config;
  const duplicate = deduplicationKey !== null && source.deduplicationKeys.includes(deduplicationKey);
  if (!trace.check('deduplication-key', !duplicate, { key: String(deduplicationKey ?? 'none') }))
    return { reason: 'trigger-event-deduplicated' };
  const matching = findTriggerData(registration, config.triggerData);
  const wanted = { triggerData: String(config.triggerData), matching: registration.triggerDataMatching };
  if (!trace.found('trigger-data', matching, wanted))
    return { reason: 'trigger-event-no-matching-trigger-data' };
  const window = findWindow(matching.spec.windows, source.time, trigger.time);
  const values = { window: window.kind };
  if (!trace.check('report-window-started', window.kind !== 'before', values))
    return { reason: 'trigger-event-report-window-not-started' };
  const reportTime = window.kind === 'within' ? window.end : null;
  return trace.found('report-window-open', reportTime, values)
    ? { config: { ...config, value: share(config.value) }, reportTime, ...matching }
    : { reason: 'trigger-event-report-window-passed' };
}

const hasFakeReports = ({ noise }: Source): boolean => noise.kind === 'replaced' && noise.reports > 0;

/** Whether further conversions cannot change the output. */
const isOutputDecided = (source: Source): boolean => source.noise.kind === 'drawn' || hasFakeReports(source);

const noiseOf = (source: Source): CheckValues['source-not-noised'] => ({
  noise: hasFakeReports(source) && noiseKind(source) === 'replaced' ? 'fake' : noiseKind(source),
});

/** Sources without `trigger_specs`: every conversion makes a report, up to the source's maximum. */
function attributeWithoutSpecs(
  work: Work,
  trigger: Trigger,
  source: Source,
  match: MatchedConversion,
): SingleDecision {
  const { draft, trace } = work;
  const dropped = (drop: TriggerDrop): SingleDecision => ({ kind: 'dropped', sourceId: source.id, ...drop });
  const report = obtainReport(work, source, contentsOf(trigger, match), trigger.time);
  const place = findPlace(work, source, report);
  if (place.kind === 'none') return dropped({ reason: place.reason, report: report.body });
  const attribution = attributionTo(eventScopeOf(source), source, trigger.destination, report);
  const withPlace = makePlace(work, trigger, source, place.replaced, attribution);
  if ('reason' in withPlace) return dropped(withPlace);
  const { deduplicationKey } = match.config;
  draft.put('sources', {
    ...withPlace,
    reportCount: withPlace.reportCount + 1,
    deduplicationKeys:
      deduplicationKey === null ? source.deduplicationKeys : [...source.deduplicationKeys, deduplicationKey],
  });
  const noise = noiseKind(source);
  if (!trace.check('source-not-noised-to-nothing', source.noise.kind !== 'replaced', { noise })) {
    return dropped({ reason: 'trigger-event-noise' });
  }
  storeReport(work, report, attribution, source, trigger);
  return { kind: 'attributed', sourceId: source.id, reports: [report.id] };
}

const contentsOf = (trigger: Trigger, match: MatchedConversion): ReportContents => ({
  triggerData: match.triggerData,
  triggerTime: trigger.time,
  triggerPriority: match.config.priority,
  triggerDebugKeys: trigger.registration.debugKey === null ? null : [trigger.registration.debugKey],
  reportTime: match.reportTime,
  bucket: null,
  attributedTo: trigger.destination,
  fake: false,
});

/**
 * Withdraws the report that the new one replaces, unless a limit forbids the new one. Attributions are counted for reports that wait, so ARA
 * withdraws the other one before it asks the limits, and it stays withdrawn if one forbids. Sent reports are not counted for one that waits.
 * @param replaced null: there is a place without that.
 * @returns the source as it is then, or the limit
 */
function makePlace(
  work: Work,
  { time }: Trigger,
  source: Source,
  replaced: Report | null,
  attribution: NewAttribution<EventScope>,
): Source | BlockedByLimit {
  const blocked = (): BlockedByLimit | null => blockedByLimits(work, attribution, time);
  const withPlace = (): Source => (replaced === null ? source : withdrawn(work, source, replaced, time));
  if (attribution.scope === 'sent-report') return blocked() ?? withPlace();
  const left = withPlace();
  return blocked() ?? left;
}

function withdrawn(work: Work, source: Source, report: Report, now: Moment): Source {
  withdrawReport(work, report, 'replaced', now);
  const left = { ...source, reportCount: source.reportCount - 1 };
  work.draft.put('sources', left);
  return left;
}

/** Stores a report, counts its attribution, and stores its debug copy if both sides gave a key and debugging is allowed. */
function storeReport(
  work: Work,
  report: Report,
  attribution: NewAttribution<EventScope>,
  source: Source,
  trigger: Trigger,
): void {
  addReport(work.draft, report);
  if (attribution.scope === 'event-attribution') countAttribution(work, attribution, trigger.time);
  if (source.registration.debugKey !== null && trigger.registration.debugKey !== null) {
    addReport(work.draft, debugCopy(work, report, trigger.time));
  }
}

/** A place among the reports of a source, perhaps that of a pending one, or why there is none. */
type ReportPlace =
  | { readonly kind: 'found'; readonly replaced: Report | null }
  | {
      readonly kind: 'none';
      readonly reason: 'trigger-event-excessive-reports' | 'trigger-event-low-priority';
    };

/** ARA, "maybe replace event-level report". A source that is full for one conversion takes no later one either. */
function findPlace({ draft, trace }: Work, source: Source, report: Report): ReportPlace {
  const full = { kind: 'none', reason: 'trigger-event-excessive-reports' } as const;
  if (!trace.check('source-attributable', source.attributable, { count: source.reportCount })) return full;
  const limit = source.registration.maxEventLevelReports;
  if (source.reportCount < limit) {
    trace.check('reports-of-source', true, { room: 'free', count: source.reportCount + 1, limit });
    return { kind: 'found', replaced: null };
  }
  const replaceable = replaceableReports(draft, source, report);
  const [lowest] = replaceable;
  const values = { room: 'full', limit, replaceable: replaceable.length } as const;
  if (!trace.found('reports-of-source', lowest, values)) {
    draft.put('sources', { ...source, attributable: false });
    return full;
  }
  // Of the same millisecond, the new one is the later conversion.
  const outranked = byReportPriority(report, lowest) <= 0;
  const priorities = {
    priority: String(report.event?.triggerPriority),
    lowest: String(lowest.event?.triggerPriority),
  };
  return trace.check('priority-over-report', !outranked, priorities)
    ? { kind: 'found', replaced: lowest }
    : { kind: 'none', reason: 'trigger-event-low-priority' };
}

/** The reports of a source that wait for the same time, lowest priority first. The server may have one that was tried, so it is none of them. */
const replaceableReports = (draft: Draft, { id }: Source, { reportTime }: Report): readonly Report[] =>
  pendingReports(draft, id)
    .filter((other) => other.event !== null && other.reportTime === reportTime && other.attempts.length === 0)
    // Of the same millisecond, too, the later conversion ranks lower.
    .reverse()
    .sort(byReportPriority);

/** ARA, "is lower-priority than": ascending; of equal priorities, the later conversion ranks lower. It has no rule for equal times. */
function byReportPriority(a: Report, b: Report): number {
  const [left, right] = [a.event, b.event];
  if (left === null || right === null) return 0;
  if (left.triggerPriority !== right.triggerPriority)
    return left.triggerPriority < right.triggerPriority ? -1 : 1;
  return right.triggerTime - left.triggerTime;
}
