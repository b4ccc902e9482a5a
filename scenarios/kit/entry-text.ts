import type { UndeclaredResponse } from '../../extension/messages';
import { closedWindow } from '../../formats/registration/closed-window';
import { english } from '../../words/english';
import type { SourceRow, TraceEntry, TriggerEntry } from './rows';

/** A log entry in one line. */
export function entryText(entry: TraceEntry): string {
  const { contextOrigin, reportingOrigin, warnings } = entry;
  const remarks = warnings.length === 0 ? '' : `; warnings: ${english.issuesText(warnings)}`;
  return `${whatOf(entry)} on ${contextOrigin} by ${reportingOrigin}: ${outcomeText(entry)}${remarks}`;
}

/** A response that waits for its declaration, in one line. */
export const undeclaredText = ({ contextOrigin, reportingOrigin, reason }: UndeclaredResponse): string =>
  `response on ${contextOrigin} by ${reportingOrigin}: ignored so far, because ${english.mistakeText(reason)}`;

/** What a source that is kept is for. */
export const sourceText = ({ registration, reportingOrigin, expiryTime }: SourceRow): string =>
  `the newest source is for ${registration.destinations.join(', ')} by ${reportingOrigin}, and expires at ${new Date(expiryTime).toISOString()}`;

/** When the last report window of a conversion's source ended, and which would do; null if the window is not why the conversion was dropped. */
export function windowText(
  { checks, time }: Pick<TriggerEntry, 'checks' | 'time'>,
  source: SourceRow,
): string | null {
  const known = checks.find((check) => check.id === 'trigger-data');
  const closed = known && closedWindow(source, BigInt(known.values.triggerData), time);
  if (!closed || !checks.some(({ id, passed }) => id === 'report-window-open' && !passed)) return null;
  const { triggerData, end, needed } = closed;
  const field = source.registration.flexible
    ? 'event_report_windows in its trigger_specs'
    : 'event_report_window';
  return `the last report window of source ${source.id} for trigger data ${triggerData} ended at ${new Date(end).toISOString()}, and the conversion came at ${new Date(time).toISOString()}: the source needs a window of at least ${needed} seconds (${field})`;
}

/** Whether the entry recorded nothing. */
export const isFailure = (entry: TraceEntry): boolean =>
  !('decision' in entry) || entry.decision.kind === 'rejected' || entry.decision.kind === 'dropped';

function whatOf(entry: TraceEntry): string {
  if (entry.kind === 'ignored') return 'response';
  if ('sourceType' in entry) return `${entry.sourceType} source`;
  return entry.kind === 'refused' ? entry.register : entry.kind;
}

function outcomeText(entry: TraceEntry): string {
  if (entry.kind === 'ignored') return `ignored, because ${english.mistakeText(entry.reason)}`;
  if (entry.kind === 'refused') return `refused: ${english.issuesText(entry.errors)}`;
  const { decision, checks } = entry;
  if (decision.kind !== 'rejected' && decision.kind !== 'dropped') return decision.kind;
  const failed = checks.filter(({ passed }) => !passed).map((check) => english.check(check));
  return [`${decision.kind}, ${decision.reason}`, ...failed].join(': ');
}
