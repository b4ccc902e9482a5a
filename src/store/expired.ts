import type { Limits } from '../model/limits';
import { between, type Moment } from '../model/units';
import type { OriginUse } from '../model/uses';
import type { ReadTransaction } from './store';

/** Rows that nothing depends on any more, by table. */
export type Expired = Awaited<ReturnType<typeof expiredRecords>> &
  Partial<Awaited<ReturnType<typeof allExpired>>>;

/** Those that people can see. */
export async function expiredRecords(tx: ReadTransaction, now: Moment) {
  const [sources, spends] = await Promise.all([
    tx.table('sources').upTo('expiryTime', now - 1),
    tx.table('spends').upTo('end', now),
  ]);
  return { sources, spends };
}

/** Also those that only limits read. */
export async function allExpired(tx: ReadTransaction, now: Moment) {
  const [sources, spends, siteUse, partyUse, pairUse, debugUse] = await Promise.all([
    tx.table('sources').upTo('expiryTime', now - 1),
    tx.table('spends').upTo('end', now),
    tx.table('siteUse').upTo('end', now),
    tx.table('partyUse').upTo('end', now),
    tx.table('pairUse').upTo('end', now),
    tx.table('debugUse').upTo('end', now),
  ]);
  return { sources, spends, siteUse, partyUse, pairUse, debugUse };
}

/** In ms: how often expired rows are deleted while sources are registered. */
const SWEEP_PAUSE = 60_000;

/** @param swept when expired rows were last deleted. */
export const isSweepDue = (swept: Moment, now: Moment): boolean => between(swept, now) >= SWEEP_PAUSE;

/** Only the limit on the sources of an origin counts expired ones; all other decisions look at expiry themselves. */
export const isFull = (use: OriginUse | undefined, { maxSourcesPerOrigin }: Limits): boolean =>
  (use?.sources ?? 0) >= maxSourcesPerOrigin;
