import { nothing } from '../../src/limits/accounts';
import { endOf, NEVER, ownerOf, periodOf } from '../../src/limits/joint-budget';
import type { BudgetSettings } from '../../src/model/mechanisms';
import { budgetKey } from '../../src/model/spend';
import { after, days, type Moment, type Site } from '../../src/model/units';
import type { Account } from '../../src/model/uses';
import type { Store, Transaction } from '../../src/store/store';
import { lastingId, together, unitOfBudgetKey } from './erase-spends';

/** For which time accounts are kept, and whose are one. */
export type Accounting = Pick<BudgetSettings, 'period' | 'owners'>;

/**
 * Lets what was spent count on in the periods that its own overlaps, for whoever sees the same reports now. Otherwise another period or another
 * owner would begin with full budgets. If an owner is divided, each part has spent all of it.
 */
export async function carryAccounts(
  tx: Transaction,
  before: Accounting,
  present: Accounting,
  now: Moment,
): Promise<void> {
  const table = tx.table('accounts');
  const moved: Account[] = [];
  for (const account of await table.latest(Infinity)) {
    const periods = periodsAfter(unitOfBudgetKey(account.id).period, before, present, now);
    const last = periods.at(-1);
    if (last === undefined) continue;
    table.delete(account.id);
    for (const period of periods) {
      const end = account.end === NEVER ? NEVER : endOf(present, period);
      // New impressions are of the last period only, but conversions may ask for those of earlier ones.
      const counted = period === last ? account : { ...account, report: nothing };
      if (period === last || account.attribution.count > 0)
        for (const id of idsAfter(account.id, before, present, period)) moved.push({ ...counted, id, end });
    }
  }
  for (const account of moved) {
    const known = await table.get(account.id);
    table.put(known === undefined ? account : together(known, account));
  }
}

/** The present kind of periods that another kind of period overlaps, of which conversions may ask: begun, and not ended. The last is the latest. */
function periodsAfter(
  period: Moment,
  before: Accounting,
  present: Accounting,
  now: Moment,
): readonly Moment[] {
  const end = Math.min(after(period, days(before.period)), now + 1);
  const periods: Moment[] = [];
  for (let start = periodOf(present, period); start < end; start = after(start, days(present.period)))
    if (endOf(present, start) > now) periods.push(start);
  return periods;
}

function idsAfter(id: string, before: Accounting, present: Accounting, period: Moment): readonly string[] {
  const unit = { ...unitOfBudgetKey(id), period };
  const { of, reportingSite } = unit;
  // The quota of a reporting site has its name where units have theirs.
  const isQuota = id.startsWith('reportingSite ') && of !== '';
  const site = isQuota ? (of as Site) : reportingSite;
  if (site === null) return [budgetKey(unit)];
  const members = before.owners.find((sites) => sites[0] === site) ?? [site];
  const observers = new Set(members.map((one) => ownerOf(present.owners, one)));
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
