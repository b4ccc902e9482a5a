import { CollectorStore } from '../store/store';
import { fillWithDemo } from './fill';
import type { StoredMonth } from './month';
import { DEMO_MONTH, simulateMonth, truthOfDemo } from './simulate-month';

/** For scripts/compile.mjs, which stores it: the start of a collector would have to wait for the simulation, and to store its rows one by one. */
export async function demoMonth(): Promise<StoredMonth> {
  const month = await simulateMonth(DEMO_MONTH);
  const store = await CollectorStore.open('memory://');
  try {
    const counts = await fillWithDemo(store, month);
    return {
      tables: await store.tables(),
      posted: month.posted,
      counts,
      truth: await truthOfDemo(DEMO_MONTH),
    };
  } finally {
    await store.close();
  }
}
