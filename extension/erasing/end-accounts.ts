import { NEVER } from '../../src/limits/joint-budget';
import type { Moment } from '../../src/model/units';
import type { Store } from '../../transactions/store';
import { lastingId, together } from './erase-spends';

/**
 * Takes the names out of accounts of ended periods. They are kept without names for good: a clock that is ahead ends periods early, and when it
 * is right again, what was spent in them must count.
 */
export async function endAccounts(store: Store, now: Moment): Promise<void> {
  const ended = await store.read((tx) => tx.table('accounts').first('end'));
  if (ended === undefined || ended.end > now) return;
  await store.write(async (tx) => {
    const table = tx.table('accounts');
    for (const row of await table.upTo('end', now)) {
      // Meanwhile, what others of these spent may have been moved to it.
      const account = await table.get(row.id);
      if (account === undefined || account.end === NEVER) continue;
      table.delete(account.id);
      const id = lastingId(account);
      const known = id === null ? undefined : await table.get(id);
      if (id !== null)
        table.put({ ...(known === undefined ? account : together(known, account)), id, end: NEVER });
    }
  });
}
