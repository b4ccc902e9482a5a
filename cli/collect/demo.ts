import { fillWithStored, StoreNotEmpty } from '../../collector/demo/fill';
import { MonthDamaged, readMonth } from '../../collector/demo/month';
import type { CollectorStore } from '../../collector/store/store';
import type { TrueCount, Truth } from '../../collector/store/true-counts';
import { InputError } from '../io/input';
import { say } from '../io/terminal';

/** What fills a store with the made-up month, and what is true of it. */
export function demo(): {
  readonly fill: (store: CollectorStore) => Promise<void>;
  readonly truth: Truth;
} {
  let truth: readonly TrueCount[] = [];
  return {
    fill: async (store) => {
      try {
        // The month itself would take memory as long as the collector runs.
        const month = readMonth();
        truth = month.truth;
        const { sources, reports } = await fillWithStored(store, month);
        say(`${reports} reports of ${sources} logged sources, all made up`);
      } catch (error) {
        if (error instanceof StoreNotEmpty) throw new InputError(`collect: --store ${error.message}`);
        if (error instanceof MonthDamaged) throw new InputError(`collect: --demo: ${error.message}`);
        throw error;
      }
    },
    truth: () => Promise.resolve(truth),
  };
}
