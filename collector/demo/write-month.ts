import type { StoredMonth } from './month';
import { DEMO_MONTH, simulateMonth, truthOfDemo } from './simulate-month';

/** For scripts/compile.mjs, which stores it: the start of a collector would have to wait for the simulation. */
export const demoMonth = async (): Promise<StoredMonth> => ({
  month: await simulateMonth(DEMO_MONTH),
  truth: await truthOfDemo(DEMO_MONTH),
});
