import type { InternalId } from '../model/records';
import type { Moment } from '../model/units';
import type { Transaction } from '../store/store';

/** Makes one pending report due at `now`; false when it is not pending. What it says of its schedule stays. */
export async function hurryReport(tx: Transaction, id: InternalId, now: Moment): Promise<boolean> {
  const report = await tx.table('reports').get(id);
  if (report === undefined) return false;
  if (report.nextAttempt > now) await tx.table('reports').put({ ...report, nextAttempt: now });
  return true;
}
