import type { SingleDecision } from '../model/decision';
import type { AttributedConversion, FlexibleReport, FlexibleState, Report, Source } from '../model/records';
import { MAX_CONVERSIONS } from '../model/registration';
import type { Work } from '../work';
import type { ReportContents } from '../reports/body';
import { noiseKind, obtainReport } from '../reports/event-level-report';
import type { View } from '../store/draft';
import type { MatchedConversion } from './report-windows';
import type { Trigger } from '../model/trigger';
import { concludePlacement, openWindowEnd, placeReports, putBack, takePending } from './flexible-reports';
import { workOut, type Crossing } from './summary';

/**
 * Sources with `trigger_specs` (flexible_event_config.md): values add up per trigger data, and every summary bucket that the sum
 * enters makes a report. The explainer does not define priorities, so Android's rule applies: reports whose window has closed are
 * final, with the values they used. At each conversion all other reports of the source are computed again from all its
 * conversions, up to the source's maximum or a rate limit.
 */
export function attributeFlexibly(
  work: Work,
  trigger: Trigger,
  source: Source,
  before: FlexibleState,
  match: MatchedConversion,
): SingleDecision {
  const finalized = finalizeReports(work.draft, source, before, trigger);
  const conversion = conversionOf(trigger, match);
  const refused = (
    reason: 'trigger-event-excessive-reports' | 'trigger-event-low-priority',
  ): SingleDecision => {
    const report = hypotheticalBody(work, source, finalized, conversion, match);
    return { kind: 'dropped', sourceId: source.id, reason, report };
  };
  if (!hasRoom(work, source, finalized, match)) return refused('trigger-event-excessive-reports');
  const state = { ...finalized, conversions: [...finalized.conversions, conversion] };
  const crossings = findCrossings(work, trigger, source, state);
  return crossings === null
    ? refused('trigger-event-low-priority')
    : placeCrossings(work, trigger, source, state, crossings, match);
}

const finalCountOf = (source: Source, { pending }: FlexibleState): number =>
  source.reportCount - pending.length;

/** Whether the conversion could still make a report and be stored. */
function hasRoom(
  { trace }: Work,
  source: Source,
  state: FlexibleState,
  { spec, triggerData }: MatchedConversion,
): boolean {
  const final = finalCountOf(source, state);
  const limit = source.registration.maxEventLevelReports;
  const all = spec.summaryBuckets.length;
  const count = all - (state.finalBuckets.get(triggerData) ?? 0);
  return (
    trace.check('reports-of-source', final < limit, { room: 'flexible', final, limit }) &&
    trace.within('conversions-kept', state.conversions.length + 1, MAX_CONVERSIONS) &&
    trace.check('summary-buckets-left', count > 0, { count, all })
  );
}

/** The reports of all conversions together; null if the new one would enter a bucket only beyond the maximum, and no report uses its value. */
function findCrossings(
  { trace }: Work,
  trigger: Trigger,
  source: Source,
  state: FlexibleState,
): readonly Crossing[] | null {
  const { finalBuckets, conversions } = state;
  const maxReports = source.registration.maxEventLevelReports - finalCountOf(source, state);
  const { crossings, outranked } = workOut(source.registration, { finalBuckets, conversions, maxReports });
  const outranks = !outranked.has(trigger.id) || crossings.some(isMadeBy(trigger));
  const counts = { reports: crossings.length, conversions: conversions.length };
  return trace.check('priority-over-conversions', outranks, counts) ? crossings : null;
}

/** Replaces the pending reports by those of the crossings, unless a limit leaves the new conversion without its own. */
function placeCrossings(
  work: Work,
  trigger: Trigger,
  source: Source,
  state: FlexibleState,
  crossings: readonly Crossing[],
  { config: { deduplicationKey } }: MatchedConversion,
): SingleDecision {
  const { draft, trace } = work;
  const taken = takePending(work, trigger, state.pending);
  const placed = placeReports(work, trigger, source, taken, crossings);
  const isBlocked = crossings.some(isMadeBy(trigger)) && !placed.pending.some(isMadeBy(trigger));
  if (placed.blocked !== null && isBlocked) {
    // As without `trigger_specs`: a dropped conversion changes nothing and does not use its deduplication key.
    putBack(work, trigger, source, taken, placed);
    return { ...placed.blocked, kind: 'dropped', sourceId: source.id };
  }
  concludePlacement(work, trigger, source, taken, placed);
  draft.put('sources', {
    ...source,
    reportCount: finalCountOf(source, state) + placed.pending.length,
    deduplicationKeys:
      deduplicationKey === null ? source.deduplicationKeys : [...source.deduplicationKeys, deduplicationKey],
    flexible: { ...state, pending: placed.pending },
  });
  const noise = noiseKind(source);
  if (!trace.check('source-not-noised-to-nothing', source.noise.kind !== 'replaced', { noise })) {
    return { kind: 'dropped', sourceId: source.id, reason: 'trigger-event-noise' };
  }
  return { kind: 'attributed', sourceId: source.id, reports: placed.created.map(({ report }) => report.id) };
}

const isMadeBy =
  ({ id }: Trigger) =>
  ({ contributions }: Pick<FlexibleReport, 'contributions'>): boolean =>
    contributions.some(({ triggerId }) => triggerId === id);

function conversionOf(
  trigger: Trigger,
  { triggerData, spec, config }: MatchedConversion,
): AttributedConversion {
  return {
    triggerId: trigger.id,
    triggerData,
    value: spec.summaryOperator === 'count' ? 1 : config.value,
    priority: config.priority,
    time: trigger.time,
    debugKey: trigger.registration.debugKey,
    destination: trigger.destination,
  };
}

/**
 * Finalizes reports whose window has closed or that left early (sent by hand, or with delays off), and subtracts their values
 * from the conversions. A report of a lower bucket becomes final with the one above it.
 */
export function finalizeReports(
  view: View,
  source: Source,
  state: FlexibleState,
  trigger: Pick<Trigger, 'time'>,
): FlexibleState {
  const finalBuckets = new Map(state.finalBuckets);
  for (const report of state.pending) {
    if (report.reportTime <= trigger.time || hasLeft(view, source, report)) {
      finalBuckets.set(
        report.triggerData,
        Math.max(finalBuckets.get(report.triggerData) ?? 0, report.bucket + 1),
      );
    }
  }
  const isFinal = ({ triggerData, bucket }: FlexibleReport): boolean =>
    bucket < (finalBuckets.get(triggerData) ?? 0);
  const spent = new Map<number, number>();
  for (const { triggerId, value } of state.pending
    .filter(isFinal)
    .flatMap(({ contributions }) => contributions)) {
    spent.set(triggerId, (spent.get(triggerId) ?? 0) + value);
  }
  return {
    finalBuckets,
    pending: state.pending.filter((report) => !isFinal(report)),
    conversions: state.conversions
      .map((conversion) => ({
        ...conversion,
        value: conversion.value - (spent.get(conversion.triggerId) ?? 0),
      }))
      // A conversion without value left, or whose last window has closed, makes no more reports.
      .filter(({ value, triggerData }) => value > 0 && openWindowEnd(source, triggerData, trigger) !== null),
  };
}

/** Whether the collector may have a report. A source noised to no reports stores none, so none can leave. */
function hasLeft(view: View, source: Source, { reportId }: FlexibleReport): boolean {
  if (source.noise.kind === 'replaced') return false;
  const report = view.get('reports', reportId);
  return report === undefined || report.attempts.length > 0;
}

/** For debugging, the report that the conversion would have made: of the next bucket of its trigger data. */
function hypotheticalBody(
  work: Work,
  source: Source,
  { finalBuckets, pending }: FlexibleState,
  { triggerData, time, priority, debugKey }: AttributedConversion,
  { reportTime, spec }: MatchedConversion,
): Report['body'] {
  const entered =
    (finalBuckets.get(triggerData) ?? 0) +
    pending.filter((report) => report.triggerData === triggerData).length;
  const contents: ReportContents = {
    triggerData,
    bucket: Math.min(entered, Math.max(spec.summaryBuckets.length - 1, 0)),
    reportTime,
    triggerTime: time,
    triggerPriority: priority,
    triggerDebugKeys: debugKey === null ? null : [debugKey],
    attributedTo: null,
    fake: false,
  };
  return obtainReport(work, source, contents, time).body;
}
