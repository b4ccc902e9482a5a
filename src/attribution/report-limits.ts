import {
  checkAttributionLimits,
  type EventScope,
  type NewAttribution,
  type ReachedLimit,
} from '../limits/attribution-limits';
import type { Moment } from '../model/units';
import type { Work } from '../work';

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
