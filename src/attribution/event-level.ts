import {
  addRecord,
  attributionRecord,
  checkAttributionLimits,
  type NewRecord,
} from '../limits/attribution-limits';
import type { SingleDecision, TriggerDrop } from '../model/decision';
import type { Report, Source } from '../model/records';
import type { SourceRegistration, TriggerSpec } from '../model/registration';
import type { Work } from '../work';
import { debugCopy, obtainReport } from '../reports/event-level-report';
import { withdrawReport } from '../reports/remove';
import { triggerDataOf } from '../states/source-space';
import { matchesFilters } from './filters';
import type { Trigger } from '../model/trigger';
import { attributeFlexibly } from './flexible';
import type { MatchedConversion } from './matched-conversion';
import { findWindow } from './report-windows';

/** ARA, "trigger event-level attribution". */
export async function triggerEventLevelAttribution(
  work: Work,
  trigger: Trigger,
  source: Source,
): Promise<SingleDecision> {
  const match = matchConversion(work, trigger, source);
  if ('reason' in match) return { kind: 'dropped', sourceId: source.id, ...match };
  return source.flexible === null
    ? attributeSimply(work, trigger, source, match)
    : attributeFlexibly(work, trigger, source, source.flexible, match);
}

/** The checks that need nothing but the trigger and the source, in the order of the specification. */
function matchConversion({ trace }: Work, trigger: Trigger, source: Source): MatchedConversion | TriggerDrop {
  const { registration } = source;
  const configs = trigger.registration.eventTriggerData;
  if (configs.length === 0) return { reason: 'no-event-trigger-data' };
  const noisy = outputIsDecided(source);
  if (!trace.check('source not noised', noisy === null, noisy ?? source.noise.kind)) {
    return { reason: 'trigger-event-noise' };
  }
  const config = configs.find((candidate) => matchesFilters(source, candidate, trigger.time));
  if (
    !trace.check('event trigger data filters', config !== undefined, `${configs.length} configurations`) ||
    config === undefined
  ) {
    return { reason: 'trigger-event-no-matching-configurations' };
  }
  const { deduplicationKey } = config;
  const duplicate = deduplicationKey !== null && source.deduplicationKeys.includes(deduplicationKey);
  if (
    !trace.check(
      'deduplication key',
      !duplicate,
      deduplicationKey === null ? 'none' : String(deduplicationKey),
    )
  ) {
    return { reason: 'trigger-event-deduplicated' };
  }
  const matching = findTriggerData(registration, config.triggerData);
  if (
    !trace.check(
      'trigger data',
      matching !== null,
      `${String(config.triggerData)}, ${registration.triggerDataMatching}`,
    ) ||
    matching === null
  ) {
    return { reason: 'trigger-event-no-matching-trigger-data' };
  }
  const window = findWindow(matching.spec.windows, source.time, trigger.time);
  if (
    !trace.check('report window started', window.kind !== 'falls-before', window.kind) ||
    window.kind === 'falls-before'
  ) {
    return { reason: 'trigger-event-report-window-not-started' };
  }
  if (
    !trace.check('report window open', window.kind === 'falls-within', window.kind) ||
    window.kind === 'falls-after'
  ) {
    return { reason: 'trigger-event-report-window-passed' };
  }
  return { config, ...matching, reportTime: window.end };
}

/** Why no conversion can change the output any more; null when it can. */
function outputIsDecided({ noise }: Source): string | null {
  if (noise.kind === 'drawn') return 'its output was drawn when its window closed';
  return noise.kind === 'replaced' && noise.reports > 0 ? 'its reports are fake' : null;
}

/** ARA, "find matching trigger data". */
function findTriggerData(
  registration: SourceRegistration,
  value: bigint,
): { triggerData: number; spec: TriggerSpec } | null {
  const entries = triggerDataOf(registration);
  if (entries.length === 0) return null;
  const wanted = registration.triggerDataMatching === 'modulus' ? value % BigInt(entries.length) : value;
  return entries.find(({ triggerData }) => BigInt(triggerData) === wanted) ?? null;
}

/** Sources without `trigger_specs`: every conversion is a report, up to the source's maximum. */
async function attributeSimply(
  work: Work,
  trigger: Trigger,
  source: Source,
  match: MatchedConversion,
): Promise<SingleDecision> {
  const { tx, limits, trace } = work;
  // What a limit says of itself has a kind as well, which must not take the place of the decision's.
  const dropped = (drop: TriggerDrop): SingleDecision => ({ ...drop, kind: 'dropped', sourceId: source.id });
  const report = await obtainReport(
    work,
    source,
    {
      triggerData: match.triggerData,
      triggerTime: trigger.time,
      triggerPriority: match.config.priority,
      triggerDebugKeys: trigger.registration.debugKey === null ? null : [trigger.registration.debugKey],
      reportTime: match.reportTime,
      bucket: null,
      fake: false,
    },
    trigger.time,
  );
  if (
    !trace.check('source still attributable', source.attributable, `${source.reportCount} reports so far`)
  ) {
    return dropped({ reason: 'trigger-event-excessive-reports', report: report.body });
  }
  const place = await findPlace(work, source, report);
  if (place.kind === 'none') {
    await tx.table('sources').put({ ...source, attributable: false });
    return dropped({ reason: 'trigger-event-excessive-reports', report: report.body });
  }
  if (place.kind === 'outranked')
    return dropped({ reason: 'trigger-event-low-priority', report: report.body });
  if (place.kind === 'replaces') {
    await withdrawReport(tx, place.report, 'replaced', trigger.time);
    source = { ...source, reportCount: source.reportCount - 1 };
    await tx.table('sources').put(source);
  }
  const record = attributionRecord(source, trigger.destination, report);
  const limited = await checkAttributionLimits(work, record, trigger.time);
  if (limited.kind === 'blocked') return dropped(limited);
  const stored = await tx.table('reports').countWhere('destination', trigger.destination);
  const maxStored = limits.maxEventLevelReportsPerDestination;
  if (!trace.within('pending reports for the destination', stored + 1, maxStored)) {
    return dropped({ reason: 'trigger-event-storage-limit', limit: maxStored });
  }
  const { deduplicationKey } = match.config;
  await tx.table('sources').put({
    ...source,
    reportCount: source.reportCount + 1,
    deduplicationKeys:
      deduplicationKey === null ? source.deduplicationKeys : [...source.deduplicationKeys, deduplicationKey],
  });
  if (!trace.check('source not noised to nothing', source.noise.kind !== 'replaced', source.noise.kind)) {
    return dropped({ reason: 'trigger-event-noise' });
  }
  await storeReport(work, report, record, source, trigger);
  return { kind: 'attributed', sourceId: source.id, reports: [report.id] };
}

/** Puts a report with its rate-limit record, and its debug copy when both sides gave a key and may debug. */
async function storeReport(
  work: Work,
  report: Report,
  record: NewRecord,
  source: Source,
  trigger: Trigger,
): Promise<void> {
  await work.tx.table('reports').put(report);
  await addRecord(work.tx, record);
  if (source.registration.debugKey !== null && trigger.registration.debugKey !== null) {
    await work.tx.table('reports').put(await debugCopy(work, report, trigger.time));
  }
}

type ReportPlace =
  | { readonly kind: 'free' }
  | { readonly kind: 'replaces'; readonly report: Report }
  | { readonly kind: 'outranked' }
  | { readonly kind: 'none' };

/** ARA, "maybe replace event-level report": only a pending report with the same report time can make room. */
async function findPlace({ tx, trace }: Work, source: Source, report: Report): Promise<ReportPlace> {
  const max = source.registration.maxEventLevelReports;
  if (source.reportCount < max) {
    trace.within('reports of the source', source.reportCount + 1, max);
    return { kind: 'free' };
  }
  const pending = (await tx.table('reports').where('sourceId', source.id))
    .filter(({ reportTime }) => reportTime === report.reportTime)
    .sort(byReportPriority);
  const lowest = pending[0];
  if (
    !trace.check(
      'reports of the source',
      lowest !== undefined,
      `has its ${max}, ${pending.length} can be replaced`,
    ) ||
    lowest === undefined
  ) {
    return { kind: 'none' };
  }
  const outranked = byReportPriority(report, lowest) < 0;
  return trace.check(
    'priority over the lowest pending report',
    !outranked,
    `${String(report.event?.triggerPriority)} against ${String(lowest.event?.triggerPriority)}`,
  )
    ? { kind: 'replaces', report: lowest }
    : { kind: 'outranked' };
}

/** ARA, "is lower-priority than": ascending; of equal priority, the later conversion is the lower. */
function byReportPriority(a: Report, b: Report): number {
  const [left, right] = [a.event, b.event];
  if (left === null || right === null) return 0;
  if (left.triggerPriority !== right.triggerPriority)
    return left.triggerPriority < right.triggerPriority ? -1 : 1;
  return right.triggerTime - left.triggerTime;
}
