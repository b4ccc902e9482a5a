import { exact, nothing } from '../../src/limits/accounts';
import { endOfPeriod, NEVER, ownerOf, periodOf } from '../../src/limits/joint-budget';
import type { BudgetSettings } from '../../src/model/mechanisms';
import { budgetKey, withoutNames } from '../../src/model/spend';
import { after, days, type Moment, type Site } from '../../src/model/units';
import type { Account, Fraction, SpentSum } from '../../src/model/uses';
import type { Transaction } from '../../transactions/store';
import { apart, isJointLoss, together, unitOfBudgetKey } from './erase-spends';

/** Whose accounts are kept, and for which time. */
export interface Accounting extends Pick<BudgetSettings, 'unit' | 'period' | 'owners'> {
  /** Whether there are quotas of a joint budget. */
  readonly isJoint: boolean;
}

export const accountingOf = ({ unit, period, owners, joint }: BudgetSettings): Accounting => ({
  unit,
  period,
  owners,
  isJoint: joint !== null,
});

/**
 * Lets what was spent count on in all periods that its own overlaps, for whoever sees the same reports now, and for each unit of another kind.
 * Otherwise another unit, period or owner, or new quotas, would begin with full budgets. If an owner is divided, each part has spent all of it.
 */
export async function carryAccounts(
  tx: Transaction,
  before: Accounting,
  present: Accounting,
  now: Moment,
): Promise<void> {
  const table = tx.table('accounts');
  const accounts = await table.latest(Infinity);
  const times = { now, until: await lastTime(tx, now) };
  const impressions = [before, present].some(({ unit }) => unit === 'impression')
    ? await impressionsOf(tx, present)
    : new Map<string, Moment>();
  const moved = withinJointLoss(
    merged(accounts.flatMap((account) => movedOf(account, before, present, impressions, times))),
  );
  const counted = before.isJoint || !present.isJoint ? moved : withQuotas(present, moved, now);
  const carried = before.unit === present.unit ? counted : withUnit(present, counted, impressions, now);
  for (const { id } of accounts) table.delete(id);
  for (const account of carried) table.put(account);
}

/** The period of each impression that conversions can ask. */
type Impressions = ReadonlyMap<string, Moment>;

interface Times {
  readonly now: Moment;
  /** The latest time of which something can have been spent: later than now if the clock was set back. */
  readonly until: Moment;
}

const lastTime = async (tx: Transaction, now: Moment): Promise<Moment> =>
  (await tx.table('spends').latest(Infinity)).reduce((last, { time }) => (time > last ? time : last), now);

/**
 * Only in the latest period that has begun does a unit go on by name. In earlier ones, to which a wrong clock can lead, what all of its kind
 * spent counts for each. What has no name also counts in those that have not begun.
 */
function movedOf(
  account: Account,
  before: Accounting,
  present: Accounting,
  impressions: Impressions,
  { now, until }: Times,
): readonly Account[] {
  const holder = unitOfBudgetKey(account.id);
  const own = holder.unit === 'impression' ? impressions.get(holder.of) : undefined;
  if (own !== undefined)
    return idsAfter(account.id, before, present, own).map((id) => ({
      ...account,
      id,
      end: endOfPeriod(present, own),
    }));
  // No conversion asks it any more. Another unit may have others, for which it counts.
  if (holder.unit === 'impression' && present.unit === 'impression') return [];
  // When it was spent is erased with its name: perhaps later than now.
  const isNamed = holder.of !== '' || holder.reportingSite !== null;
  const periods = periodsAfter(holder.period, before, present, isNamed ? until : NEVER);
  const isAsked = (period: Moment): boolean => endOfPeriod(present, period) > now;
  const begun = periods.filter((period, index) => index === 0 || period <= until);
  // The loss to everyone is never forgotten.
  const last = begun.filter(isAsked).at(-1) ?? (account.end === NEVER ? begun.at(-1) : undefined);
  return periods.flatMap((period) => {
    const end =
      account.end === NEVER || endOfPeriod(present, period) <= now ? NEVER : endOfPeriod(present, period);
    const named = (part: Account): readonly Account[] =>
      idsAfter(account.id, before, present, period).map((id) => ({ ...part, id, end }));
    if (period === last) return named(account);
    // Conversions may ask for impressions of these periods.
    const asked = isAsked(period) && account.attribution.count > 0;
    const id = budgetKey({ ...withoutNames(holder), period });
    return [
      ...(asked ? named({ ...account, report: nothing }) : []),
      { ...account, id, end, ...(asked ? { attribution: nothing } : {}) },
    ];
  });
}

/** The present kind of periods that another kind of period overlaps, and which have begun by some time: at least one. */
function periodsAfter(
  period: Moment,
  before: Accounting,
  present: Accounting,
  until: Moment,
): readonly Moment[] {
  const end = Math.min(after(period, days(before.period)), until + 1);
  const periods = [periodOf(present, period)];
  const next = (start: Moment): Moment => after(start, days(present.period));
  for (let start = next(periodOf(present, period)); start < end; start = next(start)) periods.push(start);
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

const quotas: readonly string[] = ['reportingSite', 'sourceSite', 'destination'];
const isUnit = (kind: string): boolean => kind !== 'everyone' && !quotas.includes(kind);

/** Without a joint budget nobody counts what a quota would have spent: at most the loss to everyone. */
const withQuotas = (present: Accounting, accounts: readonly Account[], now: Moment): readonly Account[] => [
  ...accounts.filter(({ id }) => !quotas.includes(kindOf(id))),
  ...quotas.flatMap((quota) => jointLossAs(quota, present, accounts, now)),
];

/**
 * No unit of another kind can have spent more than the loss to everyone, and no attribution has asked it more often than all.
 */
function withUnit(
  present: Accounting,
  accounts: readonly Account[],
  impressions: Impressions,
  now: Moment,
): readonly Account[] {
  const { unit } = present;
  const asked = merged(
    accounts
      .filter(({ id, attribution }) => isUnit(kindOf(id)) && attribution.count > 0)
      .map((account) => {
        const { period } = unitOfBudgetKey(account.id);
        return { ...account, ...nameless(unit, period, present, now), report: nothing };
      }),
  );
  return merged([
    ...accounts.filter(({ id }) => !isUnit(kindOf(id))),
    // An impression that comes now has spent nothing.
    ...(unit === 'impression'
      ? ofEach(impressions, asked, present)
      : [...jointLossAs(unit, present, accounts, now), ...asked]),
  ]);
}

/** What all units of a period were asked, as asked of each of its impressions. */
function ofEach(
  impressions: Impressions,
  asked: readonly Account[],
  present: Accounting,
): readonly Account[] {
  const byPeriod = new Map(asked.map((account) => [unitOfBudgetKey(account.id).period, account]));
  return [...impressions].flatMap(([of, period]) => {
    const account = byPeriod.get(period);
    const id = budgetKey({ unit: 'impression', of, reportingSite: null, period });
    return account === undefined ? [] : [{ ...account, id, end: endOfPeriod(present, period) }];
  });
}

/** The loss to everyone, as spent by each holder of a kind. */
const jointLossAs = (
  kind: string,
  present: Accounting,
  accounts: readonly Account[],
  now: Moment,
): readonly Account[] =>
  merged(
    accounts
      .filter(({ id }) => kindOf(id) === 'everyone')
      .map((account) => {
        const { period } = unitOfBudgetKey(account.id);
        return { ...account, ...nameless(kind, period, present, now), attribution: nothing };
      }),
  );

const nameless = (
  unit: string,
  period: Moment,
  present: Accounting,
  now: Moment,
): Pick<Account, 'id' | 'end'> => ({
  id: budgetKey({ unit, of: '', reportingSite: null, period }),
  end: endOfPeriod(present, period) <= now ? NEVER : endOfPeriod(present, period),
});

const kindOf = (id: string): string => unitOfBudgetKey(id).unit;

const impressionsOf = async (tx: Transaction, present: Accounting): Promise<Impressions> =>
  new Map(
    (await tx.table('sources').latest(Infinity)).map(({ id, time }) => [String(id), periodOf(present, time)]),
  );

/**
 * What counts in several periods adds up where they come together, at each change anew. But nobody can have spent more than the loss to
 * everyone in all periods, and what counts again in a period is at most the loss in the others.
 */
function withinJointLoss(accounts: readonly Account[]): readonly Account[] {
  const joint = accounts.filter(({ id }) => isJointLoss(id));
  const [all] = merged(joint.map((account) => ({ ...account, id: '' })));
  if (all === undefined) return accounts;
  const byPeriod = new Map(joint.map((account) => [unitOfBudgetKey(account.id).period, account]));
  const mostOf = (id: string): SpentSum => {
    const isAgain = kindOf(id) === 'everyone' && !isJointLoss(id);
    const here = isAgain ? byPeriod.get(unitOfBudgetKey(id).period) : undefined;
    return (here === undefined ? all : apart(all, here))?.report ?? nothing;
  };
  return accounts
    .map((account) => ({ ...account, report: least(account.report, mostOf(account.id)) }))
    .filter(({ report, attribution }) => report.count + attribution.count > 0);
}

function least(one: SpentSum, other: SpentSum): SpentSum {
  const smaller = (a: Fraction, b: Fraction): Fraction => (exact(a).compare(exact(b)) < 0n ? a : b);
  return {
    count: Math.min(one.count, other.count),
    sum: smaller(one.sum, other.sum),
    squares: smaller(one.squares, other.squares),
  };
}

function merged(accounts: readonly Account[]): readonly Account[] {
  const byId = new Map<string, Account>();
  for (const account of accounts) {
    const known = byId.get(account.id);
    byId.set(account.id, known === undefined ? account : together(known, account));
  }
  return [...byId.values()];
}
