import type { OnSummed } from '../../collector/store/sums';
import { showProgress, timeLeft } from '../io/progress';

/** Shows on standard error how far it is while a store of an earlier version gets the sums that the dashboard reads. */
export function showSumming(): { readonly onSummed: OnSummed; readonly stop: () => void } {
  let share = 0;
  const left = timeLeft(() => share);
  const stop = showProgress(() => `counting what is stored, ${Math.floor(100 * share)} %${left()}`);
  return { onSummed: (done, all) => void (share = done / all), stop };
}
