import type { Trial } from '../../formats/settings/trial';
import type { Moment } from '../../src/model/units';
import { jointLoss, roundedUp } from '../../analysis/audit/joint-bound';

/**
 * What all event-level reports of one person who takes part once reveal together, with the terms of the sum.
 * @param now used if the trial has no start
 * @returns null if the trial has no start and is over
 */
export function jointBoundText({ settings: { budget }, start, end }: Trial, now: Moment): string | null {
  if (start === null && end <= now) return null;
  const { most, ahead } = jointLoss(budget, { start: start ?? now, end });
  if (most === null || ahead === null) throw new RangeError('a trial has a joint budget');
  const from = start === null ? ' from now on' : '';
  const { each, periods, period } = ahead;
  const times = periods === 1 ? 'the one period' : `each of ${periods} periods`;
  return `all event-level reports of one person who takes part once in this trial${from}, to everyone together: ε = ${roundedUp(most)} (ε = ${roundedUp(each)} for all impressions in ${times} of ${period} ${period === 1 ? 'day' : 'days'})`;
}
