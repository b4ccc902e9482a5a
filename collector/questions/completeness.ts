import { moment, type Moment } from '../../src/model/units';
import { timeOf } from '../http/source-query';

export interface CompletenessQuery {
  /** In seconds, as `grace`. */
  readonly skew: number;
  readonly grace: number;
  readonly as_of?: string;
}

export const completenessProperties = {
  skew: {
    type: 'integer',
    minimum: 0,
    maximum: 86_400,
    default: 60,
    description: 'By how many seconds the clocks of the log and of the browsers may differ',
  },
  grace: {
    type: 'integer',
    minimum: 0,
    maximum: 31_536_000,
    default: 172_800,
    description: 'How many seconds reports may arrive after they were due; of no effect with `as_of`',
  },
  as_of: {
    type: 'string',
    format: 'date-time',
    description:
      'Leave out sources that have a report window open then; unless it is given, now less `grace`, or in a rehearsal now on the test clock',
  },
} as const;

/** Which sources are complete, so that no more reports are expected. */
interface Completeness {
  /** Reports due by then have arrived. */
  readonly until: Moment;
  /** How many seconds they had to arrive; null if something else decides. */
  readonly grace: number | null;
  /** By how many seconds the deciding test clock is ahead; null if something else decides. */
  readonly clockAhead: number | null;
}

/** @param ahead by how many seconds clocks were turned forward; within `skew` none was. */
export function completenessOf(
  { as_of: asOf, grace, skew }: CompletenessQuery,
  ahead: number,
  now: number,
): Completeness {
  const given = timeOf('as_of', asOf);
  if (given !== null) return { until: moment(given.getTime()), grace: null, clockAhead: null };
  // A browser sends what is due as soon as its clock is turned.
  if (ahead > skew) return { until: moment(now + ahead * 1000), grace: null, clockAhead: ahead };
  // Browsers send reports when they next run, so the reports of a window that has just ended may still arrive.
  return { until: moment(now - grace * 1000), grace, clockAhead: null };
}
