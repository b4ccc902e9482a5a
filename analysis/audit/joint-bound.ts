import { chromiumLimits } from '../../src/model/limits';
import type { BudgetSettings, PrivacyUnit } from '../../src/model/mechanisms';
import { days, type Moment } from '../../src/model/units';

/** What whoever gets all event-level reports of a person from a span of time learns of what the person did, added up. */
export interface JointBound {
  /** ε of one unit in one period, to one reporting site or to all; null: the budget has no limit. */
  readonly each: number | null;
  /** How many periods of the budget the span touches. */
  readonly periods: number;
  /** Days in a period. */
  readonly period: number;
  /** A person has any number of these units. Null: the person is one. */
  readonly unit: Exclude<PrivacyUnit, 'user'> | null;
  /** Each reporting site adds as much again, and there can be any number. */
  readonly perReportingSite: boolean;
}

/**
 * What a trial's budget adds up to from `start` until `end`. An impression counts in the period in which it was recorded, whenever it is
 * reported.
 */
export function jointBound(
  { unit, perReportingSite, period, epsilon, attributionEpsilon, cap }: BudgetSettings,
  { start, end }: { readonly start: Moment; readonly end: Moment },
): JointBound {
  const length = days(period);
  // K impressions have at most the ε that a source may register.
  const most = cap === null ? Infinity : cap * chromiumLimits.maxSettableEpsilon + attributionEpsilon;
  const each = Math.min(epsilon ?? Infinity, unit === 'impression' ? Infinity : most);
  return {
    each: Number.isFinite(each) ? each : null,
    periods: Math.max(1, Math.floor((end - 1) / length) - Math.floor(start / length) + 1),
    period,
    unit: unit === 'user' ? null : unit,
    perReportingSite,
  };
}

/**
 * The sum, for so many units in each period and so many reporting sites. Without them it is null where they add up without end: where each
 * unit or each reporting site has a budget of its own, or there is none.
 */
export function sumOf(
  { each, periods, unit, perReportingSite }: JointBound,
  counts: { readonly units: number; readonly reportingSites: number } = {
    units: Infinity,
    reportingSites: Infinity,
  },
): number | null {
  if (each === null) return null;
  const sum =
    each * periods * (unit === null ? 1 : counts.units) * (perReportingSite ? counts.reportingSites : 1);
  return Number.isFinite(sum) ? sum : null;
}

/** To four digits, never less than the number but for what floating point adds to it: 0.1 + 0.2 stays 0.3. */
export function roundedUp(number: number): number {
  if (number === 0 || !Number.isFinite(number)) return number;
  const digits = 3 - Math.floor(Math.log10(number));
  return Number(`${Math.ceil(number * 10 ** digits - 1e-9)}e${-digits}`);
}

/** What pages and commands take as an example where the number of units or reporting sites is not limited. */
export const EXAMPLE_COUNTS = { units: 10, reportingSites: 3 } as const;
