import type { Moment } from '../src/model/units';
import type { Draft, Impression } from './documents';

/** The specification asks for 1,000 impressions of a site at least. */
export const MOST_OF_SITE = 1000;
export const MOST = 10_000;

/**
 * Removes what has expired, and then what takes the room of a new impression of a site: its own oldest one, and only for a site that has none
 * the oldest of all. So a site cannot remove more than one of another's.
 */
export function makeRoom(draft: Draft, site: string, now: Moment): void {
  const kept: Impression[] = [];
  for (const impression of draft.before.impressions)
    if (now - impression.time > impression.lifetime) draft.impressions.set(impression.id, null);
    else kept.push(impression);
  const own = kept.filter((impression) => impression.site === site);
  if (own.length < MOST_OF_SITE && kept.length < MOST) return;
  const oldest = oldestOf(own.length > 0 ? own : kept);
  if (oldest !== undefined) draft.impressions.set(oldest.id, null);
}

const oldestOf = (impressions: readonly Impression[]): Impression | undefined =>
  impressions.reduce<Impression | undefined>(
    (oldest, one) => (oldest === undefined || one.time < oldest.time ? one : oldest),
    undefined,
  );
