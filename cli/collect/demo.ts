import {
  DEMO_MONTH,
  fillWithDemo,
  simulateMonth,
  StoreNotEmpty,
  truthOfDemo,
} from '../../collector/demo/fill';
import type { CollectorStore } from '../../collector/store/store';
import { InputError } from '../io/input';
import { clearState, isSeen, say, showState } from '../io/terminal';

/**
 * Begins to simulate a month while a store opens, and shows progress on standard error.
 * @returns what fills the store, what stops the work if the store does not open, and what is true of it.
 */
export function startDemo(): {
  readonly fill: (store: CollectorStore) => Promise<void>;
  readonly stop: () => void;
  /** What happened in the made-up month; simulated on the first request. */
  readonly truth: () => ReturnType<typeof truthOfDemo>;
} {
  let known: ReturnType<typeof truthOfDemo> | null = null;
  const show = (users: number): void => {
    if (isSeen()) showState(`cointoss: simulating a month, ${users} of ${DEMO_MONTH.users} people`);
  };
  show(0);
  const stopping = new AbortController();
  const options = { ...DEMO_MONTH, progress: show };
  // Only until the store has it, because the collector runs on.
  let month: ReturnType<typeof simulateMonth> | undefined = simulateMonth(options, stopping.signal);
  // `fill` throws the error.
  month.catch(() => undefined);
  return {
    fill: async (store) => {
      try {
        const filling = fillWithDemo(store, options, month);
        month = undefined;
        const { sources, reports } = await filling;
        if (isSeen()) clearState();
        say(`${reports} reports of ${sources} logged sources, all made up`);
      } catch (error) {
        if (error instanceof StoreNotEmpty) throw new InputError(`collect: --store ${error.message}`);
        throw error;
      }
    },
    stop: () => {
      stopping.abort();
    },
    truth: () => (known ??= truthOfDemo(DEMO_MONTH)),
  };
}
