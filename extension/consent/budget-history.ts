import type { BudgetSettings } from '../../src/model/mechanisms';
import { moment, type Moment } from '../../src/model/units';
import { canonical, toJson } from '../../formats/codec/plain-json';
import type { Trial } from '../../formats/settings/trial';

/** A budget, and when it was in force. */
interface BudgetSpan {
  readonly budget: BudgetSettings;
  readonly start: Moment;
  readonly end: Moment;
}

/** The budgets of one participation in a trial. What was sent under an earlier one stays sent. */
export interface BudgetHistory {
  /** When the present budget came into force, or the trial was joined. */
  readonly since: Moment;
  /** Of earlier versions of the trial. */
  readonly earlier: readonly BudgetSpan[];
}

export const newHistory = (now: Moment): BudgetHistory => ({ since: now, earlier: [] });

/** Of an agreement. */
export const historyOf = ({
  budgets,
  time,
}: {
  readonly budgets?: BudgetHistory;
  readonly time: number;
}): BudgetHistory => budgets ?? newHistory(moment(time));

/** From when the trial's budget can be spent: nothing is recorded before its start. */
export const spendsFrom = ({ start }: Trial, { since }: BudgetHistory): Moment =>
  moment(Math.max(start ?? since, since));

/** After a changed version is accepted. Its accounts are empty if its budget is another, so that comes on top of what was spent. */
export function continued(history: BudgetHistory, agreed: Trial, next: Trial, now: Moment): BudgetHistory {
  const { budget } = agreed.settings;
  if (canonical(toJson(budget)) === canonical(toJson(next.settings.budget))) return history;
  const start = spendsFrom(agreed, history);
  return {
    since: now,
    earlier: start < now ? [...history.earlier, { budget, start, end: now }] : history.earlier,
  };
}
