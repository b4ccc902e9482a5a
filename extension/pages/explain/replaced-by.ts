import type { LogEntry } from '../../../src/model/decision';
import type { FinishedReport, InternalId } from '../../../src/model/records';

/** The first report by the replacing conversion; null if a limit dropped it or the log no longer has it. */
export function replacedBy(
  { report, end, time }: FinishedReport,
  log: readonly LogEntry[],
): InternalId | null {
  if (end !== 'replaced' || report.event === null) return null;
  const { sourceId } = report.event;
  for (const entry of log) {
    if (entry.kind !== 'trigger' || entry.time !== time || entry.decision.kind !== 'attributed') continue;
    const first = entry.decision.reports[0];
    if (entry.decision.sourceId === sourceId && first !== undefined) return first;
  }
  return null;
}
