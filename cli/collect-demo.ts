import { DEMO_MONTH, fillWithDemo, StoreNotEmpty, truthOfDemo } from '../collector/demo/fill';
import type { CollectorStore } from '../collector/store/store';
import { InputError } from './input';

/** Fills the store with a made-up month, and shows progress on standard error. */
export async function fillDemoStore(store: CollectorStore): Promise<void> {
  const { stderr } = process;
  const show = (users: number): void => {
    if (stderr.isTTY)
      stderr.write(`\rcointoss: simulating a month, ${users} of ${DEMO_MONTH.users} people\u001b[K`);
  };
  show(0);
  try {
    const { sources, reports } = await fillWithDemo(store, { ...DEMO_MONTH, progress: show });
    if (stderr.isTTY) stderr.write('\r\u001b[K');
    stderr.write(`cointoss: ${reports} reports of ${sources} logged sources, all made up\n`);
  } catch (error) {
    if (error instanceof StoreNotEmpty) throw new InputError(`collect: --store ${error.message}`);
    throw error;
  }
}

let known: ReturnType<typeof truthOfDemo> | null = null;

/** What happened in the made-up month; simulated when somebody first asks. */
export const demoTruth = (): ReturnType<typeof truthOfDemo> => (known ??= truthOfDemo(DEMO_MONTH));
