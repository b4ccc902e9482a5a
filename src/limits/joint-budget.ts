import type { BudgetSettings, JointBudget } from '../model/mechanisms';
import type { Source } from '../model/records';
import { siteOf } from '../model/site';
import type { ReadTransaction } from '../store/store';
import { days, moment, type Moment, type Origin, type Site } from '../model/units';
import type { Work } from '../work';
import { Rational } from '../privacy/rational';
import { charge, exact } from './accounts';

/** All of the joint budget, or the quota of a reporting site, a source site or a destination. */
type JointShare = keyof JointBudget;

/** What was spent of a share in one period. */
export interface JointAccount {
  readonly id: string;
  /** What sites spent of such quotas whose names were erased: it counts for each. Null for all of the budget. */
  readonly namelessId: string | null;
  readonly share: JointShare;
  /** Whose quota it is; empty for all of the budget. */
  readonly site: Site | '';
  readonly end: Moment;
}

type Impression = Pick<Source, 'sourceSite' | 'reportingOrigin'> & {
  readonly registration: Pick<Source['registration'], 'destinations'>;
};

/** Who sees the reports of a reporting origin: its site, or the first site of its owner. */
export function observerOf(owners: BudgetSettings['owners'], reportingOrigin: Origin): Site {
  const site = siteOf(reportingOrigin);
  return owners.find((sites) => sites.includes(site))?.[0] ?? site;
}

/** The start of the period in which something was recorded. */
export function periodOf({ period }: Pick<BudgetSettings, 'period'>, time: Moment): Moment {
  const length = days(period);
  return moment(Math.floor(time / length) * length);
}

/** When accounts end that are never forgotten: those of what everyone together learned, one for each period. */
const NEVER = moment(8.64e15);

const EVERYONE = 'everyone ';

/** ε of what was recorded in all periods, to everyone together. */
export async function toldEveryone(tx: ReadTransaction): Promise<number> {
  const accounts = await tx.table('accounts').where('end', NEVER);
  return accounts
    .filter(({ id }) => id.startsWith(EVERYONE))
    .reduce((sum, { report }) => sum.plus(exact(report.sum)), Rational.ZERO)
    .toNumber();
}

/** Of the form of `budgetKey`. */
const quotaKey = (share: JointShare, site: Site | '', start: Moment): string => `${share} ${site}  ${start}`;

/** The ids of the accounts that decide whether a share has room. */
export const keysOfJoint = ({ id, namelessId }: JointAccount): readonly string[] =>
  namelessId === null ? [id] : [id, namelessId];

/**
 * The accounts that an impression charges, whatever its unit. That of everyone is kept where there is no joint budget, too.
 * @param start of the impression's period
 * @param end of the quotas
 */
export function jointAccountsOf(
  { joint, owners }: BudgetSettings,
  { sourceSite, reportingOrigin, registration }: Impression,
  start: Moment,
  end: Moment,
): readonly JointAccount[] {
  const all: JointAccount = {
    id: `${EVERYONE}  ${start}`,
    namelessId: null,
    share: 'epsilon',
    site: '',
    end: NEVER,
  };
  if (joint === null) return [all];
  const quota = (share: Exclude<JointShare, 'epsilon'>, site: Site): JointAccount => ({
    id: quotaKey(share, site, start),
    namelessId: quotaKey(share, '', start),
    share,
    site,
    end,
  });
  return [
    all,
    quota('reportingSite', observerOf(owners, reportingOrigin)),
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
): (Pick<JointAccount, 'share' | 'site'> & { readonly epsilon: number }) | null {
  const { joint } = measurement.budget;
  if (joint === null) return null;
  for (const account of accounts) {
    const { share, site } = account;
    const spent = keysOfJoint(account).reduce((sum, id) => {
      const more = draft.get('accounts', id)?.report.sum;
      return more === undefined ? sum : sum.plus(exact(more));
    }, Rational.ZERO);
    const fits = spent.plus(epsilon).compare(Rational.of(joint[share])) <= 0n;
    const loss = epsilon.toNumber();
    const values = { share, site, loss, spent: spent.toNumber(), budget: joint[share] };
    if (!trace.check('joint-budget', fits, values)) return { share, site, epsilon: joint[share] };
  }
  return null;
}

/** Enters the loss of an impression's output. */
export function spendJointly({ draft }: Work, accounts: readonly JointAccount[], epsilon: Rational): void {
  for (const { id, end } of accounts) charge(draft, { id, end }, 'report', epsilon);
}
