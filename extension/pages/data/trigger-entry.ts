import type { LogEntry, TriggerDecision } from '../../../src/model/decision';

export type TriggerEntry = Extract<LogEntry, { kind: 'trigger' }>;

/** One id, or a list when the value was split among several sources. */
export function sourcesCredited(decision: TriggerDecision): string | number | null {
  if (decision.kind !== 'split') return decision.sourceId;
  return decision.shares.map((share) => share.decision.sourceId).join(', ');
}
