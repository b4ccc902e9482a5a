import type { PrivacyUnit } from '../model/mechanisms';
import { budgetKey, withoutNames, type Spend } from '../model/spend';
import type { Account, Fraction, SpentSum } from '../model/uses';
import { groupPrivacy, type Losses } from '../privacy/composition';
import { Rational } from '../privacy/rational';
import type { Draft, View } from '../store/draft';

/** Whose account it is: a privacy unit's in one period, with one reporting site. */
export type AccountHolder<Unit extends string = PrivacyUnit> = Pick<
  Spend,
  'of' | 'reportingSite' | 'period' | 'end'
> & { readonly unit: Unit };

/** What a unit spent on a purpose. */
export interface Spent extends Losses {
  readonly count: number;
}

/** What a spend takes from its unit. */
export const lossOf = ({ epsilon, sourceIds }: Pick<Spend, 'epsilon' | 'sourceIds'>): Rational =>
  groupPrivacy(Rational.of(epsilon), sourceIds.length);

/** What the holder spent, and all of its kind whose names were erased. */
export function spentOn(draft: View, holder: AccountHolder<string>, purpose: Spend['purpose']): Spent {
  let spent: Spent = { count: 0, sum: Rational.ZERO, squares: Rational.ZERO };
  if (!hasAccount(holder, purpose)) return spent;
  for (const key of keysOf(holder)) {
    const more = draft.get('accounts', key)?.[purpose];
    if (more !== undefined)
      spent = {
        count: spent.count + more.count,
        sum: spent.sum.plus(exact(more.sum)),
        squares: spent.squares.plus(exact(more.squares)),
      };
  }
  return spent;
}

/** The keys of the holder's account, and of the one that counts for all of its kind. */
export const keysOf = (holder: AccountHolder<string>): readonly string[] => [
  ...new Set([holder, withoutNames(holder)].map(budgetKey)),
];

/** Adds a spend to the list that people can read, and to its account if there is one. */
export function recordSpend(draft: Draft, spend: Omit<Spend, 'id'>): void {
  draft.put('spends', { id: draft.nextId('spends'), ...spend });
  if (hasAccount(spend, spend.purpose)) charge(draft, spend, spend.purpose, lossOf(spend));
}

/** An impression spends once on its report. Nobody asks how much, so no account has it. */
const hasAccount = ({ unit }: { readonly unit: string }, purpose: Spend['purpose']): boolean =>
  unit !== 'impression' || purpose !== 'report';

/** Adds a loss to an account. */
export function charge(
  draft: Draft,
  holder: AccountHolder<string>,
  purpose: Spend['purpose'],
  loss: Rational,
): void {
  const { end } = holder;
  const id = budgetKey(holder);
  const unused: Account = { id, report: nothing, attribution: nothing, end };
  const account = draft.get('accounts', id) ?? unused;
  const { count, sum, squares } = account[purpose];
  draft.put('accounts', {
    ...account,
    [purpose]: {
      count: count + 1,
      sum: fraction(exact(sum).plus(loss)),
      squares: fraction(exact(squares).plus(loss.times(loss))),
    },
  });
}

export const exact = ({ numerator, denominator }: Fraction): Rational =>
  Rational.fraction(numerator, denominator);
export const fraction = ({ numerator, denominator }: Rational): Fraction => ({ numerator, denominator });
export const nothing: SpentSum = { count: 0, sum: fraction(Rational.ZERO), squares: fraction(Rational.ZERO) };
