import { moment, type Moment } from '../../src/model/units';
import { canonical, toJson } from '../../formats/codec/plain-json';
import type { Trial } from '../../formats/settings/trial';

/** What a participation has told before its present budget. */
export interface BudgetHistory {
  /** When the present budget came into force, or the trial was joined. */
  readonly since: Moment;
  /** ε of all that was recorded before, which stays told. */
  readonly before: number;
}

/** The same, and ε of all that has been recorded until now. */
export interface BudgetHistoryToDate extends BudgetHistory {
  readonly soFar: number;
}

export const newHistory = (now: Moment): BudgetHistory => ({ since: now, before: 0 });

/** Of an agreement. */
export const historyOf = ({
  budgets,
  time,
}: {
  readonly budgets?: BudgetHistory;
  readonly time: number;
}): BudgetHistory => budgets ?? newHistory(moment(time));

/** When the trial's budget can be spent: nothing is recorded before its start. */
export const spanOf = (
  { start, end }: Trial,
  { since }: BudgetHistory,
): { readonly start: Moment; readonly end: Moment } => ({
  start: moment(Math.max(start ?? since, since)),
  end,
});

/**
 * After a changed version is accepted. Its accounts may be empty if its budget is another, so what it allows comes on top.
 * @param soFar ε of all that has been recorded
 */
export function continued(
  history: BudgetHistory,
  agreed: Trial,
  next: Trial,
  now: Moment,
  soFar: number,
): BudgetHistory {
  const isSame = canonical(toJson(agreed.settings.budget)) === canonical(toJson(next.settings.budget));
  return isSame ? history : { since: now, before: soFar };
}
