import type { BudgetSettings } from '../../src/model/mechanisms';
import { days, type Moment } from '../../src/model/units';

/**
 * What all event-level reports of a person tell whoever gets them all of what the person did after the ads: of all periods, sites, companies and
 * attributions together, and whatever was changed, paused or erased in between. Each output hides what it is about up to its ε, so they add up.
 */
export interface JointLoss {
  /** By the outputs of all that has been recorded. It never falls. */
  readonly soFar: number;
  /** The same, once all has been recorded that may be; null: no limit. */
  readonly most: number | null;
  /** ε of each period in which something may still be recorded, and how many and how long these are. Null: the budget has no limit. */
  readonly ahead: { readonly each: number; readonly periods: number; readonly period: number } | null;
}

/** What was recorded of a participation, as far as it counts. */
export interface Recorded {
  /** ε of what was recorded before the budget came into force. */
  readonly before: number;
  /** ε of all. */
  readonly soFar: number;
}

const NOTHING_RECORDED: Recorded = { before: 0, soFar: 0 };

/**
 * An impression counts in the period in which it was recorded, whenever it is reported. So a span that begins in the middle of a period may
 * spend all of that period's budget.
 * @param span in which the budget is in force; null: without end
 */
export function jointLoss(
  { joint, period }: Pick<BudgetSettings, 'joint' | 'period'>,
  span: { readonly start: Moment; readonly end: Moment } | null,
  { before, soFar }: Recorded = NOTHING_RECORDED,
): JointLoss {
  if (joint === null || span === null) return { soFar, most: null, ahead: null };
  const { start, end } = span;
  const length = days(period);
  const periods = Math.max(1, Math.floor((end - 1) / length) - Math.floor(start / length) + 1);
  const each = joint.epsilon;
  // An earlier end may be learned of after something was recorded that it excludes.
  return { soFar, most: Math.max(soFar, before + each * periods), ahead: { each, periods, period } };
}

/** To four digits, never less than the number but for what floating point adds to it: 0.1 + 0.2 stays 0.3. */
export function roundedUp(number: number): number {
  if (number === 0 || !Number.isFinite(number)) return number;
  const digits = 3 - Math.floor(Math.log10(number));
  return Number(`${Math.ceil(number * 10 ** digits - 1e-9)}e${-digits}`);
}
