import type { InternalId } from '../../../src/model/records';
import type { Moment } from '../../../src/model/units';
import type { Transaction } from '../../../transactions/store';

/** Makes a pending report due at `now`, with its stated schedule unchanged; false if it is not pending. */
export async function hurryReport(tx: Transaction, id: InternalId, now: Moment): Promise<boolean> {
  const report = await tx.table('reports').get(id);
  if (report === undefined) return false;
  if (report.nextAttempt > now) tx.table('reports').put({ ...report, nextAttempt: now });
  return true;
}
