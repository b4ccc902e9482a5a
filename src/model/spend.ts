import type { PrivacyUnit } from './mechanisms';
import type { InternalId } from './records';
import type { Moment } from './units';

/** One line of the privacy budget: what was told about one privacy unit at one time. */
export interface Spend {
  readonly id: InternalId;
  readonly time: Moment;
  readonly unit: PrivacyUnit;
  /** The source or the site that the unit is; empty for the unit that is the person. */
  readonly of: string;
  /** When the period began in which the impressions were recorded. */
  readonly period: Moment;
  readonly purpose: 'report' | 'attribution';
  /** The loss for one impression. */
  readonly epsilon: number;
  /** The impressions of the unit that took part: the loss for the unit is `epsilon` times as many. */
  readonly sourceIds: readonly InternalId[];
  /** The conversion that was attributed; null for a report's noise. */
  readonly triggerId: InternalId | null;
}

/** The spends that compose: those of one unit and period. */
export const budgetKey = ({ unit, of, period }: Pick<Spend, 'unit' | 'of' | 'period'>): string =>
  `${unit} ${of} ${period}`;
