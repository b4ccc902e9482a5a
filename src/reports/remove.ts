import { removeRecordOfReport } from '../limits/attribution-limits';
import type { FinishedReport, Report } from '../model/records';
import type { Moment } from '../model/units';
import type { Transaction } from '../store/store';

/** Removes a pending report and records how it ended. */
export function finishReport(
  tx: Transaction,
  report: Report,
  end: FinishedReport['end'],
  time: Moment,
): void {
  tx.table('reports').delete(report.id);
  tx.table('finished').put({ id: report.id, report, end, time });
}

/** Removes an unsent report, as if the conversion had not been attributed. */
export async function withdrawReport(
  tx: Transaction,
  report: Report,
  end: 'replaced' | 'source-removed',
  time: Moment,
): Promise<void> {
  finishReport(tx, report, end, time);
  await removeRecordOfReport(tx, report.id);
}
