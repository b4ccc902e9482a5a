import { exact, lossOf, spentOn, type Spent } from '../../../src/limits/accounts';
import { endOfPeriod, ownerOf, periodOf } from '../../../src/limits/joint-budget';
import { deltaOfPart } from '../../../src/limits/privacy-budget';
import type { BudgetSettings, JointBudget, PrivacyUnit } from '../../../src/model/mechanisms';
import { budgetKey, type Spend } from '../../../src/model/spend';
import {
  epsilon as epsilonOf,
  probability,
  type Epsilon,
  type Moment,
  type Probability,
  type Site,
} from '../../../src/model/units';
import type { Account as StoredAccount } from '../../../src/model/uses';
import { Rational } from '../../../src/privacy/rational';
import type { View } from '../../../src/store/draft';
import type { IdOf, Rows, TableName } from '../../../src/store/rows';
import { parallelComposition } from '../../../analysis/noise/composition';
import { unitOfBudgetKey } from '../../erasing/erase-spends';
import { composedEpsilon, mostWithin } from './composed-epsilon';

/** A quota of the joint budget, or all of it. */
type Share = 'everyone' | Exclude<keyof JointBudget, 'epsilon'>;

/** Whose an account is, and of which period. */
interface Holder<Unit extends string> {
  readonly id: string;
  readonly unit: Unit;
  readonly of: string;
  readonly reportingSite: Site | null;
  readonly period: Moment;
}

/** What has been spent in one period: with what was moved to it, and what was spent under erased names. All that a decision counts. */
interface Spending {
  /** Of impressions. */
  readonly count: number;
  /** By basic composition. */
  readonly sum: Rational;
  /** What conversions may have told. */
  readonly epsilon: Epsilon;
  readonly by: 'basic' | 'advanced';
  /** What the times of clicks may have told. */
  readonly attribution: Epsilon;
  /** Of the part for conversions; null when there is no limit. */
  readonly limit: Epsilon | null;
  /** The most that another impression may spend; null when there is no limit. */
  readonly left: number | null;
}

/** Of a privacy unit. */
export type Account = Holder<PrivacyUnit> & Spending;
/** Of a share of the joint budget. */
export type JointAccount = Holder<Share> & Spending;

/** What the engine reads, and what was spent one by one. */
export interface Spendings {
  readonly stored: readonly StoredAccount[];
  readonly spends: readonly Spend[];
}

const NOTHING: Spent = { count: 0, sum: Rational.ZERO, squares: Rational.ZERO };

/** The accounts of the privacy unit in the settings of which decisions still ask: the latest period first, and in it the fullest. @param truth whether debug mode shows it */
export function accountsOf(
  all: Spendings,
  settings: BudgetSettings,
  now: Moment,
  truth: boolean,
): readonly Account[] {
  const accounts =
    settings.unit === 'impression' ? impressionsOf(all, settings, truth) : unitsOf(all, settings);
  return accounts
    .filter(({ period }) => period <= now && endOfPeriod(settings, period) > now)
    .sort((a, b) => b.period - a.period || byRest(a, b));
}

/** What is left of the joint budget in the present period: all of it first, then the fullest quotas. None without such a budget. */
export function jointAccountsOf(
  { stored }: Spendings,
  settings: BudgetSettings,
  now: Moment,
): readonly JointAccount[] {
  const { joint } = settings;
  if (joint === null) return [];
  const [present, view] = [periodOf(settings, now), viewOf(stored)];
  const holders = new Map(
    holdersOf<Share>(stored)
      .map(withEveryone)
      .map((one) => [one.id, one]),
  );
  return [...holders.values()]
    .filter(({ unit, period }) => period === present && (unit === 'everyone' || Object.hasOwn(joint, unit)))
    .map((holder): JointAccount => {
      const limit = joint[holder.unit === 'everyone' ? 'epsilon' : holder.unit];
      return { ...holder, ...spending(spentBy(view, holder, 'report'), NOTHING, limit, probability(0)) };
    })
    .sort((a, b) => Number(b.unit === 'everyone') - Number(a.unit === 'everyone') || byRest(a, b));
}

/**
 * The most ε that the conversions of one unit lose to one reporting site in one period, while those of other units stay the same
 * (docs/noise.md, "Budget").
 */
export const mostLost = (accounts: readonly Account[]): number =>
  parallelComposition(accounts.map(({ sum }) => sum)).toNumber();

const byRest = (a: Holder<string> & Spending, b: Holder<string> & Spending): number =>
  (a.left ?? 0) - (b.left ?? 0) || b.epsilon - a.epsilon || (a.id < b.id ? -1 : 1);

function unitsOf({ stored }: Spendings, settings: BudgetSettings): readonly Account[] {
  const view = viewOf(stored);
  return holdersOf<PrivacyUnit>(stored)
    .filter(({ unit }) => unit === settings.unit)
    .map((holder) => {
      const [report, asked] = [spentBy(view, holder, 'report'), spentBy(view, holder, 'attribution')];
      return { ...holder, ...spendingOfUnit(report, asked, settings) };
    });
}

/** Each impression spends once on its report, which the engine has no account of. @param truth whether it may be said which were candidates */
function impressionsOf(
  { stored, spends }: Spendings,
  settings: BudgetSettings,
  truth: boolean,
): readonly Account[] {
  // One of a divided owner is in several accounts, which say the same.
  const asked = new Map(
    (truth ? stored : []).map(
      (account) => [unitOfBudgetKey(account.id).of, exactly(account.attribution)] as const,
    ),
  );
  return spends.flatMap((spend): readonly Account[] => {
    const { id, purpose, unit, of, reportingSite: site, time } = spend;
    if (unit !== 'impression' || purpose !== 'report') return [];
    const reportingSite = site === null ? null : ownerOf(settings.owners, site);
    const holder = { id: String(id), unit, of, reportingSite, period: periodOf(settings, time) };
    const sum = lossOf(spend);
    const report = { count: 1, sum, squares: sum.times(sum) };
    return [{ ...holder, ...spendingOfUnit(report, asked.get(of) ?? NOTHING, settings) }];
  });
}

function spendingOfUnit(report: Spent, asked: Spent, settings: BudgetSettings): Spending {
  const { epsilon, attributionEpsilon, cap } = settings;
  const limit = epsilon === null ? null : epsilonOf(epsilon - attributionEpsilon);
  const spent = spending(report, asked, limit, deltaOfPart(settings));
  return cap !== null && report.count >= cap ? { ...spent, left: 0 } : spent;
}

function spending(report: Spent, asked: Spent, limit: Epsilon | null, delta: Probability): Spending {
  return {
    count: report.count,
    sum: report.sum,
    ...composedEpsilon(report, delta),
    attribution: composedEpsilon(asked, delta).epsilon,
    limit,
    left: limit === null ? null : mostWithin(report, limit, delta),
  };
}

const holdersOf = <Unit extends string>(stored: readonly StoredAccount[]): readonly Holder<Unit>[] =>
  // Only the callers know of which units they are.
  stored.map(({ id }) => ({ id, ...unitOfBudgetKey(id) }) as unknown as Holder<Unit>);

/** The account of everyone also has what everyone learned in another period and what still counts in this one. */
const withEveryone = (holder: Holder<Share>): Holder<Share> =>
  holder.unit === 'everyone' ? { ...holder, of: '', id: budgetKey({ ...holder, of: '' }) } : holder;

/** Accounts as a decision reads them. It asks for no rows of other tables. */
function viewOf(stored: readonly StoredAccount[]): View {
  const byId = new Map(stored.map((account) => [account.id, account]));
  return {
    get: <Name extends TableName>(_table: Name, id: IdOf<Name>) =>
      byId.get(String(id)) as Rows[Name] | undefined,
    candidates: () => [],
    upTo: () => [],
  };
}

/** As the engine counts it when it decides. */
const spentBy = (view: View, holder: Holder<string>, purpose: Spend['purpose']): Spent =>
  // When it ends is of no account.
  spentOn(view, { ...holder, end: holder.period }, purpose);

const exactly = ({ count, sum, squares }: StoredAccount['report']): Spent => ({
  count,
  sum: exact(sum),
  squares: exact(squares),
});
