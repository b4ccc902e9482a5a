import { NEVER, periodOf } from '../../src/limits/joint-budget';
import type { BudgetSettings } from '../../src/model/mechanisms';
import { budgetKey } from '../../src/model/spend';
import { after, days, type Moment, type Site } from '../../src/model/units';
import type { Account } from '../../src/model/uses';
import type { Store, Transaction } from '../../src/store/store';
import { namelessId, together, unitOfBudgetKey } from './erase-spends';

/** For which time accounts are kept, and whose are one. */
export type Accounting = Pick<BudgetSettings, 'period' | 'owners'>;

/** In days: as accounts live on after their period. */
const LONGEST_EXPIRY = 30;

/**
 * Moves what was spent in periods that overlap the present one into it, to whoever sees the same reports now. Otherwise another period or another
 * owner would begin with full budgets. If an owner is divided, each part has spent all of it.
 */
export async function carryAccounts(
  tx: Transaction,
  before: Accounting,
  present: Accounting,
  now: Moment,
): Promise<void> {
  const start = periodOf(present, now);
  const end = after(start, days(present.period + LONGEST_EXPIRY));
  const table = tx.table('accounts');
  const moved: Account[] = [];
  for (const account of await table.latest(Infinity)) {
    const { period } = unitOfBudgetKey(account.id);
    if (after(period, days(before.period)) <= start || period >= after(start, days(present.period))) continue;
    table.delete(account.id);
    for (const id of idsAfter(account.id, before, present, start))
      moved.push({ ...account, id, end: account.end === NEVER ? NEVER : end });
  }
  for (const account of moved) {
    const known = await table.get(account.id);
    table.put(known === undefined ? account : together(known, account));
  }
}

function idsAfter(id: string, before: Accounting, present: Accounting, period: Moment): readonly string[] {
  const unit = { ...unitOfBudgetKey(id), period };
  const { of, reportingSite } = unit;
  // The quota of a reporting site has its name where units have theirs.
  const isQuota = id.startsWith('reportingSite ') && of !== '';
  const site = isQuota ? (of as Site) : reportingSite;
  if (site === null) return [budgetKey(unit)];
  const members = before.owners.find((sites) => sites[0] === site) ?? [site];
  const observers = new Set(
    members.map((one) => present.owners.find((sites) => sites.includes(one))?.[0] ?? one),
  );
  return [...observers].map((one) =>
    budgetKey({ ...unit, ...(isQuota ? { of: one } : { reportingSite: one }) }),
  );
}

/**
 * Takes the names out of accounts of ended periods. They are kept without names for good: a clock that is ahead ends periods early, and when it
 * is right again, what was spent in them must count.
 */
export async function endAccounts(store: Store, now: Moment): Promise<void> {
  const ended = await store.read((tx) => tx.table('accounts').first('end'));
  if (ended === undefined || ended.end > now) return;
  await store.write(async (tx) => {
    const table = tx.table('accounts');
    for (const account of await table.upTo('end', now)) {
      table.delete(account.id);
      const id = namelessId(account);
      const known = id === null ? undefined : await table.get(id);
      if (id !== null)
        table.put({ ...(known === undefined ? account : together(known, account)), id, end: NEVER });
    }
  });
}
