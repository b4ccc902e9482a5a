import { exact, fraction } from '../../src/limits/accounts';
import { budgetKey, withoutNames, type Spend } from '../../src/model/spend';
import { moment, type Site } from '../../src/model/units';
import type { Account, SpentSum } from '../../src/model/uses';
import type { Rational } from '../../src/privacy/rational';
import type { Draft } from '../../src/store/draft';
import type { AllRows } from './all-rows';
import type { ErasingScope } from './scope';

/**
 * Takes erased sites and times out of what was spent. A budget must not restart: what a unit or a quota spent whose name is erased counts
 * for all of its kind until the period ends.
 */
export function eraseSpends(draft: Draft, rows: AllRows, scope: ErasingScope): void {
  const isErased = (site: string | null): boolean =>
    scope.kind === 'sites' && site !== null && scope.sites.includes(site);
  const isTime = (time: number): boolean => scope.kind === 'time' && time >= scope.from && time <= scope.to;
  for (const spend of rows.spends) {
    const named = isErased(spend.of) || isErased(spend.reportingSite) ? withoutNames(spend) : spend;
    const isContext = isErased(spend.contextSite) || isTime(spend.time);
    const left: Spend = isContext ? { ...named, contextSite: '' } : named;
    if (left !== spend) draft.put('spends', left);
  }
  for (const account of rows.accounts) {
    const { unit, of, reportingSite } = unitOfBudgetKey(account.id);
    if (!isErased(of) && !isErased(reportingSite)) continue;
    // An erased impression is asked about no more. But others may be of another site of the same owner.
    const isGone = unit === 'impression' && draft.get('sources', Number(of)) === undefined;
    moveTo(draft, account, isGone ? null : namelessId(account));
  }
}

/** Takes all names out of what was spent. Reports may have been sent, so no erasing gives anything back. */
export function eraseUnits(draft: Draft, accounts: readonly Account[]): void {
  for (const account of accounts) {
    const { of, reportingSite } = unitOfBudgetKey(account.id);
    if (of !== '' || reportingSite !== null) moveTo(draft, account, lastingId(account));
  }
}

function moveTo(draft: Draft, account: Account, id: string | null): void {
  draft.delete('accounts', account.id);
  if (id === null) return;
  const known = draft.get('accounts', id);
  draft.put('accounts', known === undefined ? { ...account, id } : together(known, account));
}

/** The account that what a unit or a quota spent is moved to when its name is erased. */
const namelessId = ({ id }: Account): string => budgetKey(withoutNames(unitOfBudgetKey(id)));

/** The same when no impressions are left. Null for one of them, of which no conversion can ask any more. */
export const lastingId = (account: Account): string | null =>
  unitOfBudgetKey(account.id).unit === 'impression' ? null : namelessId(account);

/** Brings back an account that was deleted, beside what its unit spent since. @param isMoved whether it was moved to the nameless one */
export function restoreAccount(draft: Draft, account: Account, isMoved: boolean): void {
  const id = isMoved ? namelessId(account) : null;
  const all = id === null ? undefined : draft.get('accounts', id);
  if (id !== null && all !== undefined) {
    const left = apart(all, account);
    if (left === null) draft.delete('accounts', id);
    else draft.put('accounts', left);
  }
  const since = draft.get('accounts', account.id);
  draft.put('accounts', since === undefined ? account : together(account, since));
}

/** What the units of both accounts spent, with the name of the first. */
export const together = (one: Account, other: Account): Account =>
  combined(one, other, 1, (a, b) => a.plus(b));

/** What the units of an account spent without those of another that it holds; null if nothing is left. */
export function apart(all: Account, part: Account): Account | null {
  const left = combined(all, part, -1, (a, b) => a.minus(b));
  return left.report.count + left.attribution.count === 0 ? null : left;
}

function combined(
  one: Account,
  other: Account,
  sign: 1 | -1,
  combine: (a: Rational, b: Rational) => Rational,
): Account {
  const sums = (purpose: Spend['purpose']): SpentSum => ({
    count: one[purpose].count + sign * other[purpose].count,
    sum: fraction(combine(exact(one[purpose].sum), exact(other[purpose].sum))),
    squares: fraction(combine(exact(one[purpose].squares), exact(other[purpose].squares))),
  });
  const end = one.end > other.end ? one.end : other.end;
  return { ...one, end, report: sums('report'), attribution: sums('attribution') };
}

/** What `budgetKey` was made of. */
export function unitOfBudgetKey(key: string): Pick<Spend, 'unit' | 'of' | 'reportingSite' | 'period'> {
  const [unit, of = '', reportingSite = '', period] = key.split(' ');
  return {
    unit: unit as Spend['unit'],
    of,
    reportingSite: reportingSite === '' ? null : (reportingSite as Site),
    period: moment(Number(period)),
  };
}

/** Whether the account has the loss to everyone in its period. What counts in several periods is in one of these accounts. */
export function isJointLoss(id: string): boolean {
  const { unit, of } = unitOfBudgetKey(id);
  return (unit as string) === 'everyone' && of === '';
}
