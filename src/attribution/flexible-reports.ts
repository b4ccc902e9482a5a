import {
  addRecord,
  attributionRecord,
  checkAttributionLimits,
  recordsOfReport,
  removeRecordOfReport,
} from '../limits/attribution-limits';
import type { FlexibleReport, RateLimitRecord, Report, Source } from '../model/records';
import type { TriggerSpec } from '../model/registration';
import type { Work } from '../work';
import { debugCopy, obtainReport, type ReportDraft } from '../reports/event-level-report';
import { finishReport } from '../reports/remove';
import { triggerDataOf } from '../states/source-space';
import type { Transaction } from '../store/store';
import type { Trigger } from '../model/trigger';
import { findWindow } from './report-windows';
import type { Crossing } from './summary';

/** The pending reports of a source, taken out of the store for now. */
interface Pending {
  /** Keyed by what identifies a report across recomputations. */
  readonly reports: ReadonlyMap<string, Report>;
  readonly records: readonly RateLimitRecord[];
}

export async function takePending(tx: Transaction, pending: readonly FlexibleReport[]): Promise<Pending> {
  const reports = new Map<string, Report>();
  const records: RateLimitRecord[] = [];
  for (const { reportId, ...rest } of pending) {
    records.push(...(await recordsOfReport(tx, reportId)));
    await removeRecordOfReport(tx, reportId);
    const report = await tx.table('reports').get(reportId);
    if (report === undefined) continue;
    tx.table('reports').delete(reportId);
    reports.set(identity(rest), report);
  }
  return { reports, records };
}

interface Placed {
  readonly pending: readonly FlexibleReport[];
  readonly created: readonly { readonly report: Report; readonly crossing: Crossing }[];
  readonly blocked:
    | { readonly reason: 'trigger-event-attributions-per-source-destination-limit'; readonly limit: number }
    | { readonly reason: 'trigger-reporting-origin-limit'; readonly limit: number }
    | { readonly reason: 'trigger-event-storage-limit'; readonly limit: number }
    | null;
}

/** Stores the reports of the crossings in order, as far as the limits allow. Those that were pending keep their place. */
export async function placeReports(
  work: Work,
  trigger: Trigger,
  source: Source,
  before: Pending,
  crossings: readonly Crossing[],
): Promise<Placed> {
  const { tx } = work;
  const pending: FlexibleReport[] = [];
  const created: { report: Report; crossing: Crossing }[] = [];
  for (const crossing of crossings) {
    const { triggerData, bucket, contributions } = crossing;
    const reportTime = openWindowEnd(source, triggerData, trigger);
    if (reportTime === null) throw new RangeError(`no report window is open for trigger data ${triggerData}`);
    const kept = before.reports.get(identity({ ...crossing, reportTime }));
    const report = kept ?? obtainReport(work, source, draftOf(crossing, reportTime), trigger.time);
    const blocked = await blockedBy(work, trigger, source, crossing, report);
    if (blocked !== null) return { pending, created, blocked };
    if (source.noise.kind !== 'replaced') {
      tx.table('reports').put(report);
      addRecord(tx, attributionRecord('event-attribution', source, crossing.by.destination, report));
    }
    if (kept === undefined) created.push({ report, crossing });
    pending.push({ reportId: report.id, reportTime, triggerData, bucket, contributions });
  }
  return { pending, created, blocked: null };
}

export async function putBack(tx: Transaction, before: Pending, placed: Placed): Promise<void> {
  for (const { reportId } of placed.pending) {
    tx.table('reports').delete(reportId);
    await removeRecordOfReport(tx, reportId);
  }
  for (const report of before.reports.values()) tx.table('reports').put(report);
  for (const record of before.records) tx.table('rateLimits').put(record);
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
  for (const report of before.reports.values()) {
    if (!ids.has(report.id)) finishReport(work.tx, report, 'replaced', trigger.time);
  }
  if (source.noise.kind === 'replaced' || source.registration.debugKey === null) return;
  for (const { report, crossing } of placed.created) {
    if (crossing.debugKeys !== null) work.tx.table('reports').put(debugCopy(work, report, trigger.time));
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
): Report['reportTime'] | null {
  const window = findWindow(specOf(source, triggerData).windows, source.time, trigger.time);
  return window.kind === 'within' ? window.end : null;
}

function specOf({ registration }: Source, triggerData: number): TriggerSpec {
  const entry = triggerDataOf(registration).find((candidate) => candidate.triggerData === triggerData);
  if (entry === undefined) throw new RangeError(`the source has no trigger data ${triggerData}`);
  return entry.spec;
}

function draftOf(
  { triggerData, bucket, by, debugKeys }: Crossing,
  reportTime: Report['reportTime'],
): ReportDraft {
  return {
    triggerData,
    bucket,
    reportTime,
    triggerTime: by.time,
    triggerPriority: by.priority,
    triggerDebugKeys: debugKeys,
    fake: false,
  };
}

async function blockedBy(
  work: Work,
  trigger: Trigger,
  source: Source,
  crossing: Crossing,
  report: Report,
): Promise<Placed['blocked']> {
  const { destination } = crossing.by;
  const limited = await checkAttributionLimits(
    work,
    attributionRecord('event-attribution', source, destination, report),
    trigger.time,
  );
  if (limited !== null) return limited;
  const stored = await work.tx.table('reports').countWhere('destination', destination);
  const limit = work.limits.maxEventLevelReportsPerDestination;
  return work.trace.within('pending-reports', stored + 1, limit)
    ? null
    : { reason: 'trigger-event-storage-limit', limit };
}
