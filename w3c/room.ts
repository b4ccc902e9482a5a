import type { Moment } from '../src/model/units';
import type { Draft, Impression } from './documents';
import { Epochs, type RandomOfCall } from './epochs';

/*
 * How many impressions of an epoch are stored. Budgets are of an epoch, too: if an impression displaced one of an earlier epoch, it would
 * also change conversions that the earlier budget pays.
 */

/** The specification asks for 1,000 impressions of a site at least. */
export const MOST_OF_SITE = 1000;
/** Of all sites. Conversions look back at six epochs at most, so there are about 12,000 in all. */
export const MOST = 2000;

/**
 * Removes what has expired, and then what takes the room of a new impression of a site: its own oldest one of this epoch if it has as many as
 * it may, else the oldest one of the site with the most. So a site cannot displace one of another that has no more than itself.
 */
export function makeRoom(draft: Draft, site: string, now: Moment, random: RandomOfCall): void {
  const kept: Impression[] = [];
  let ofSite = 0;
  for (const impression of draft.before.impressions)
    if (now - impression.time > impression.lifetime) draft.impressions.set(impression.id, null);
    else {
      kept.push(impression);
      if (impression.site === site) ofSite += 1;
    }
  // With so few in all epochs, it does not matter when they start.
  if (kept.length < MOST && ofSite < MOST_OF_SITE) return;
  const epochs = new Epochs(draft, now, random);
  const current = epochs.of(now);
  const ofEpoch = kept.filter(({ time }) => epochs.of(time) === current);
  const own = ofEpoch.filter((one) => one.site === site);
  if (ofEpoch.length < MOST && own.length < MOST_OF_SITE) return;
  const oldest = oldestOf(own.length < MOST_OF_SITE ? largest(ofEpoch, own) : own);
  if (oldest !== undefined) draft.impressions.set(oldest.id, null);
}

/** Those of the site with the most; of several such sites, those of the given one, or of the first. */
function largest(impressions: readonly Impression[], own: readonly Impression[]): readonly Impression[] {
  const bySite = new Map<string, Impression[]>();
  for (const one of impressions) {
    const known = bySite.get(one.site);
    if (known === undefined) bySite.set(one.site, [one]);
    else known.push(one);
  }
  return [...bySite.values()].reduce((most, some) => (some.length > most.length ? some : most), own);
}

const oldestOf = (impressions: readonly Impression[]): Impression | undefined =>
  impressions.reduce<Impression | undefined>(
    (oldest, one) => (oldest === undefined || one.time < oldest.time ? one : oldest),
    undefined,
  );
