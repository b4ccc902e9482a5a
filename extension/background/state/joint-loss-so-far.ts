import { exact } from '../../../src/limits/accounts';
import { NEVER } from '../../../src/limits/joint-budget';
import { Rational } from '../../../src/privacy/rational';
import { isJointLoss } from '../../erasing/erase-spends';
import type { ReadTransaction } from '../../../transactions/store';

/** ε of what was recorded in all periods, to everyone together. */
export async function jointLossSoFar(tx: ReadTransaction): Promise<number> {
  const accounts = await tx.table('accounts').where('end', NEVER);
  return accounts
    .filter(({ id }) => isJointLoss(id))
    .reduce((sum, { report }) => sum.plus(exact(report.sum)), Rational.ZERO)
    .toNumber();
}
