import type { BudgetSettings, JointBudget } from '../model/mechanisms';
import type { BudgetRefusal } from '../model/facts';
import type { Source } from '../model/records';
import { MAX_EXPIRY } from '../model/registration';
import { siteOf } from '../model/site';
import { after, days, milliseconds, moment, type Moment, type Origin, type Site } from '../model/units';
import type { Work } from '../work';
import { Rational } from '../privacy/rational';
import { spentOn, type AccountHolder } from './accounts';

/** All of the joint budget, or the quota of a reporting site, a source site or a destination. */
type JointShare = keyof JointBudget;

/** What was spent of a share in one period. Sites whose names were erased have an account together, which counts for each. */
export interface JointAccount extends AccountHolder<string> {
  readonly share: JointShare;
  /** Whose quota it is; empty for all of the budget. */
  readonly of: Site | '';
}

/** What decides whose accounts an impression charges. */
export type Impression = Pick<Source, 'sourceSite' | 'reportingOrigin' | 'time'> & {
  readonly registration: Pick<Source['registration'], 'destinations'>;
};

/** Who sees the reports of a reporting origin: its site, or the first site of its owner. */
export const observerOf = (owners: BudgetSettings['owners'], reportingOrigin: Origin): Site =>
  ownerOf(owners, siteOf(reportingOrigin));

/** The first site of a site's owner; itself if it has none. */
export const ownerOf = (owners: BudgetSettings['owners'], site: Site): Site =>
  owners.find((sites) => sites.includes(site))?.[0] ?? site;

/** The start of the period in which something was recorded. */
export function periodOf({ period }: Pick<BudgetSettings, 'period'>, time: Moment): Moment {
  const length = days(period);
  return moment(Math.floor(time / length) * length);
}

/** When all impressions of the period from `start` have expired. Then no decision depends on its accounts any more. */
export const endOfPeriod = ({ period }: Pick<BudgetSettings, 'period'>, start: Moment): Moment =>
  after(start, milliseconds(days(period) + MAX_EXPIRY));

/** The end of accounts that are kept for good: what everyone together learned in each period. */
export const NEVER = moment(8.64e15);

/** The accounts that an impression charges, whatever its unit. That of everyone is kept where there is no joint budget, too. */
export function jointAccountsOf(
  budget: BudgetSettings,
  { sourceSite, reportingOrigin, registration, time }: Impression,
): readonly JointAccount[] {
  const period = periodOf(budget, time);
  const common = { reportingSite: null, period };
  const all: JointAccount = { unit: 'everyone', share: 'epsilon', of: '', ...common, end: NEVER };
  if (budget.joint === null) return [all];
  const end = endOfPeriod(budget, period);
  const quota = (share: JointShare, of: Site): JointAccount => ({ unit: share, share, of, ...common, end });
  return [
    all,
    quota('reportingSite', observerOf(budget.owners, reportingOrigin)),
    quota('sourceSite', sourceSite),
    ...registration.destinations.map((destination) => quota('destination', destination)),
  ];
}

/**
 * The first share of the joint budget that has no room for an impression; null: all have. What is charged is known when a source is
 * registered, so no decision depends on a conversion.
 */
export function fullShare(
  { draft, trace, measurement }: Work,
  accounts: readonly JointAccount[],
  epsilon: Rational,
): Omit<Extract<BudgetRefusal, { readonly id: 'joint' }>, 'id'> | null {
  const { joint } = measurement.budget;
  if (joint === null) return null;
  for (const account of accounts) {
    const { share, of: site } = account;
    const { sum } = spentOn(draft, account, 'report');
    const fits = sum.plus(epsilon).compare(Rational.of(joint[share])) <= 0n;
    const values = { share, site, loss: epsilon.toNumber(), spent: sum.toNumber(), budget: joint[share] };
    if (!trace.check('joint-budget', fits, values)) return { share, site, epsilon: joint[share] };
  }
  return null;
}
