import { exact } from '../../../src/limits/accounts';
import { NEVER } from '../../../src/limits/joint-budget';
import { Rational } from '../../../src/privacy/rational';
import { unitOfBudgetKey } from '../../erasing/erase-spends';
import type { ReadTransaction } from '../../../src/store/store';

/** ε of what was recorded in all periods, to everyone together. */
export async function toldEveryone(tx: ReadTransaction): Promise<number> {
  const accounts = await tx.table('accounts').where('end', NEVER);
  return accounts
    .filter(({ id }) => isTold(unitOfBudgetKey(id)))
    .reduce((sum, { report }) => sum.plus(exact(report.sum)), Rational.ZERO)
    .toNumber();
}

/** What counts in several periods was told once. */
const isTold = ({ unit, of }: { readonly unit: string; readonly of: string }): boolean =>
  unit === 'everyone' && of === '';
