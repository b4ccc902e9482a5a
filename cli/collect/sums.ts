import type { OnSummed } from '../../collector/store/sums';
import { showProgress, timeLeft } from '../io/progress';

/** Shows progress on standard error while a store gets the dashboard's sums that it lacks. */
export function showSumming(): { readonly onSummed: OnSummed; readonly stop: () => void } {
  let share = 0;
  const left = timeLeft(() => share);
  const stop = showProgress(() => `counting what is stored, ${Math.floor(100 * share)} %${left()}`);
  return { onSummed: (done, all) => void (share = done / all), stop };
}
