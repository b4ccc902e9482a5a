import {
  attributionTo,
  blockedByLimits,
  countAttribution,
  eventScopeOf,
  uncountAttribution,
  type BlockedByLimit,
} from '../limits/attribution-limits';
import type { FlexibleReport, Report, Source } from '../model/records';
import type { Moment } from '../model/units';
import type { Work } from '../work';
import type { ReportContents } from '../reports/body';
import { debugCopy, obtainReport } from '../reports/event-level-report';
import { addReport, countedFor, removeReport } from '../reports/pending';
import { specOf } from '../states/source-space';
import type { Trigger } from '../model/trigger';
import { findWindow } from './report-windows';
import type { Crossing } from './summary';

/** The pending reports of a source, keyed by what identifies a report across recomputations. */
type Pending = ReadonlyMap<string, Report>;

/** Takes the pending reports of a source out of the store for now. */
export function takePending(work: Work, trigger: Trigger, pending: readonly FlexibleReport[]): Pending {
  const reports = new Map<string, Report>();
  for (const { reportId, ...rest } of pending) {
    const report = work.draft.get('reports', reportId);
    if (report === undefined) continue;
    takeOut(work, trigger, report);
    reports.set(identity(rest), report);
  }
  return reports;
}

function takeOut({ draft, limits }: Work, trigger: Trigger, report: Report): void {
  removeReport(draft, report);
  const pair = countedFor(report);
  if (pair !== null) uncountAttribution(draft, limits, pair, report.id, trigger.time);
}

function putIn(work: Work, trigger: Trigger, source: Source, report: Report): void {
  addReport(work.draft, report);
  if (report.event?.countsWhenSent) return;
  const destination = report.event?.attributedTo ?? trigger.destination;
  countAttribution(work, attributionTo('event-attribution', source, destination, report), trigger.time);
}

interface Placed {
  readonly pending: readonly FlexibleReport[];
  readonly created: readonly { readonly report: Report; readonly crossing: Crossing }[];
  readonly blocked: BlockedByLimit | null;
}

/** Stores the reports of the crossings in order, as far as the limits allow. Those that were pending keep their place. */
export function placeReports(
  work: Work,
  trigger: Trigger,
  source: Source,
  before: Pending,
  crossings: readonly Crossing[],
): Placed {
  const pending: FlexibleReport[] = [];
  const created: { report: Report; crossing: Crossing }[] = [];
  for (const crossing of crossings) {
    const { triggerData, bucket, contributions } = crossing;
    const reportTime = openWindowEnd(source, triggerData, trigger);
    if (reportTime === null) throw new RangeError(`no report window is open for trigger data ${triggerData}`);
    const kept = before.get(identity({ ...crossing, reportTime }));
    const report = kept ?? obtainReport(work, source, contentsOf(crossing, reportTime), trigger.time);
    const { destination } = crossing.by;
    const attribution = attributionTo(eventScopeOf(source), source, destination, report);
    // Those that count only when they are sent do not count themselves here, and are sent all the same.
    const isGranted = kept !== undefined && attribution.scope === 'sent-report';
    const blocked = isGranted ? null : blockedByLimits(work, attribution, trigger.time);
    if (blocked !== null) return { pending, created, blocked };
    if (source.noise.kind !== 'replaced') putIn(work, trigger, source, report);
    if (kept === undefined) created.push({ report, crossing });
    pending.push({ reportId: report.id, reportTime, triggerData, bucket, contributions });
  }
  return { pending, created, blocked: null };
}

export function putBack(work: Work, trigger: Trigger, source: Source, before: Pending, placed: Placed): void {
  for (const { reportId } of placed.pending) {
    const report = work.draft.get('reports', reportId);
    if (report !== undefined) takeOut(work, trigger, report);
  }
  for (const report of before.values()) putIn(work, trigger, source, report);
}

/** Marks pending reports that lost their place as replaced, and sends debug copies of the new ones if allowed. */
export function concludePlacement(
  work: Work,
  trigger: Trigger,
  source: Source,
  before: Pending,
  placed: Placed,
): void {
  const ids = new Set(placed.pending.map(({ reportId }) => reportId));
  for (const report of before.values()) {
    if (!ids.has(report.id))
      work.draft.put('finished', { id: report.id, report, end: 'replaced', time: trigger.time });
  }
  if (source.noise.kind === 'replaced' || source.registration.debugKey === null) return;
  for (const { report, crossing } of placed.created) {
    if (crossing.debugKeys !== null) addReport(work.draft, debugCopy(work, report, trigger.time));
  }
}

const identity = ({
  triggerData,
  bucket,
  reportTime,
  contributions,
}: Omit<FlexibleReport, 'reportId'>): string =>
  JSON.stringify([triggerData, bucket, reportTime, contributions]);

/** The end of the window in which the conversion falls for this trigger data; null if all have closed. */
export function openWindowEnd(
  source: Source,
  triggerData: number,
  trigger: Pick<Trigger, 'time'>,
): Moment | null {
  const window = findWindow(specOf(source.registration, triggerData).windows, source.time, trigger.time);
  return window.kind === 'within' ? window.end : null;
}

function contentsOf({ triggerData, bucket, by, debugKeys }: Crossing, reportTime: Moment): ReportContents {
  return {
    triggerData,
    bucket,
    reportTime,
    triggerTime: by.time,
    triggerPriority: by.priority,
    triggerDebugKeys: debugKeys,
    attributedTo: by.destination,
    fake: false,
  };
}
