import { DEMO_MONTH, fillWithDemo, StoreNotEmpty, truthOfDemo } from '../../collector/demo/fill';
import type { CollectorStore } from '../../collector/store/store';
import { InputError } from '../io/input';
import { clearState, isSeen, say, showState } from '../io/terminal';

/** Fills the store with a made-up month, and shows progress on standard error. */
export async function fillDemoStore(store: CollectorStore): Promise<void> {
  const show = (users: number): void => {
    if (isSeen()) showState(`cointoss: simulating a month, ${users} of ${DEMO_MONTH.users} people`);
  };
  show(0);
  try {
    const { sources, reports } = await fillWithDemo(store, { ...DEMO_MONTH, progress: show });
    if (isSeen()) clearState();
    say(`${reports} reports of ${sources} logged sources, all made up`);
  } catch (error) {
    if (error instanceof StoreNotEmpty) throw new InputError(`collect: --store ${error.message}`);
    throw error;
  }
}

let known: ReturnType<typeof truthOfDemo> | null = null;

/** What happened in the made-up month; simulated on the first request. */
export const demoTruth = (): ReturnType<typeof truthOfDemo> => (known ??= truthOfDemo(DEMO_MONTH));
