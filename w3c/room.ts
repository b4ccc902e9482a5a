import { days, type Moment } from '../src/model/units';
import { Draft, type Changes, type Impression, type View } from './documents';
import { Epochs, type RandomOfCall } from './epochs';
import { EPOCH, type ApiLimits } from './limits';

/*
 * How many impressions of an epoch are stored. Budgets are of an epoch, too: if an impression displaced one of an earlier epoch, it would
 * also change conversions that the earlier budget pays. So each epoch has the same room, whether the others are full or empty.
 */

/** The specification asks for 1,000 impressions of a site at least. */
export const MOST_OF_SITE = 1000;
/** Of all sites. */
export const MOST = 2 * MOST_OF_SITE;
/** Of all epochs at which conversions look back, which are six unless tests set a longer lookback. */
export const MOST_IN_ALL = 6 * MOST;

/** How many impressions an epoch has room for. */
export function roomOf({ maxLookbackDays }: Pick<ApiLimits, 'maxLookbackDays'>): {
  readonly all: number;
  readonly site: number;
} {
  // The first and the last of these are not whole.
  const epochs = Math.ceil(days(maxLookbackDays) / EPOCH) + 1;
  const all = Math.min(MOST, Math.floor(MOST_IN_ALL / epochs));
  return { all, site: Math.floor(all / 2) };
}

/**
 * Removes what takes the room of a new impression of a site: its own oldest one of this epoch if it has as many as it may, else the oldest one of
 * the site with the most. So a site cannot displace one of another that has no more than itself.
 */
export function makeRoom(
  draft: Draft,
  site: string,
  now: Moment,
  limits: ApiLimits,
  random: RandomOfCall,
): void {
  const room = roomOf(limits);
  const { impressions } = draft.before;
  // With so few in all epochs, it does not matter when they start.
  const ofSite = impressions.filter((one) => one.site === site);
  if (impressions.length < room.all && ofSite.length < room.site) return;
  const epochs = new Epochs(draft, now, random);
  const current = epochs.of(now);
  const ofEpoch = impressions.filter(({ time }) => epochs.of(time) === current);
  const own = ofEpoch.filter((one) => one.site === site);
  if (ofEpoch.length < room.all && own.length < room.site) return;
  const oldest = oldestOf(own.length < room.site ? largest(ofEpoch, own) : own);
  if (oldest !== undefined) draft.impressions.set(oldest.id, null);
}

/**
 * W3C Attribution, "Maintenance". To be called at times that no page decides: a clock that is ahead lets impressions of all epochs expire, so a
 * call that removed these would change conversions that the budgets of earlier epochs pay.
 */
export function removeExpired(view: View, now: Moment): Changes {
  const draft = new Draft(view);
  for (const { id, time, lifetime } of view.impressions)
    if (now - time > lifetime) draft.impressions.set(id, null);
  return draft;
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
