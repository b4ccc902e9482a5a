import type { Moment } from '../model/units';
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
  const [sources, spends, accounts, siteUse, partyUse, pairUse, debugUse] = await Promise.all([
    tx.table('sources').upTo('expiryTime', now - 1),
    tx.table('spends').upTo('end', now),
    tx.table('accounts').upTo('end', now),
    tx.table('siteUse').upTo('end', now),
    tx.table('partyUse').upTo('end', now),
    tx.table('pairUse').upTo('end', now),
    tx.table('debugUse').upTo('end', now),
  ]);
  return { sources, spends, accounts, siteUse, partyUse, pairUse, debugUse };
}
