import { RANDOMIZED } from '../../../src/store/rows';
import type { Overview } from '../../messages';
import type { IdbStore } from '../../store/idb-store';

/** Counts pending and finished reports, except those that only hold the truth of a source and are never sent. */
export async function countedReports(
  store: IdbStore,
): Promise<Pick<Overview, 'pendingReports' | 'finishedReports'>> {
  const [pendingReports, finished, randomized] = await Promise.all([
    store.countKeys('reports', 'nextAttempt'),
    store.count('finished'),
    store.countKeys('finished', 'time', RANDOMIZED),
  ]);
  return { pendingReports, finishedReports: finished - randomized };
}
