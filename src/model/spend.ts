import type { Epsilon, Moment, Site } from './units';
import type { PrivacyUnit } from './mechanisms';
import type { InternalId } from './records';

/** What one privacy unit spent at one time. */
export interface Spend {
  readonly id: InternalId;
  readonly time: Moment;
  readonly unit: PrivacyUnit;
  /** The source or site that the unit is; empty for the unit `user`, and if the site was erased. */
  readonly of: string;
  /** Or the first of its owner's. Null if it was erased. */
  readonly reportingSite: Site | null;
  /** The start of the period in which the impressions were recorded. */
  readonly period: Moment;
  /** From then on no decision depends on it: all impressions of the period have expired. */
  readonly end: Moment;
  /** The site on which it was caused; empty when that was erased. */
  readonly contextSite: Site | '';
  readonly purpose: 'report' | 'attribution';
  readonly epsilon: Epsilon;
  /** The impressions of the unit that took part; each costs the unit `epsilon`. */
  readonly sourceIds: readonly InternalId[];
  /** The attributed conversion; null for a report's noise. */
  readonly triggerId: InternalId | null;
}

/** The same for the spends that compose: those of one unit and period. */
export const budgetKey = ({
  unit,
  of,
  reportingSite,
  period,
}: Pick<Spend, 'of' | 'reportingSite' | 'period'> & { readonly unit: string }): string =>
  `${unit} ${of} ${reportingSite ?? ''} ${period}`;

/** The unit that stands for all of its kind whose names were erased. What they spent counts against each unit of the kind. */
export const withoutNames = <Unit extends Pick<Spend, 'of' | 'reportingSite'> & { readonly unit: string }>(
  unit: Unit,
): Unit => ({ ...unit, of: namelessOf(unit), reportingSite: null });

/**
 * An impression's id names nobody. `again`: what everyone learned in periods of another length is added once to the sum of all periods, and counts
 * once more in each period that overlaps (extension/erasing/carry-accounts.ts).
 */
function namelessOf({ unit, of }: { readonly unit: string; readonly of: string }): string {
  if (unit === 'impression') return of;
  return unit === 'everyone' ? 'again' : '';
}
