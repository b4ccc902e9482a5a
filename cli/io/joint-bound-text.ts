import type { Trial } from '../../formats/settings/trial';
import type { Moment } from '../../src/model/units';
import {
  EXAMPLE_COUNTS,
  jointBound,
  roundedUp,
  sumOf,
  type JointBound,
} from '../../analysis/audit/joint-bound';

/**
 * What all event-level reports of one person who takes part once reveal together, with the terms of the sum.
 * @param now used if the trial has no start
 * @returns null if the trial has no start and is over
 */
export function jointBoundText({ settings: { budget }, start, end }: Trial, now: Moment): string | null {
  if (start === null && end <= now) return null;
  const bound = jointBound(budget, { start: start ?? now, end });
  const from = start === null ? ' from now on' : '';
  const what = `all event-level reports of one person who takes part once in this trial${from}, to all who get them`;
  if (bound.each === null) return `${what}: no limit: each impression adds the ε that it registers`;
  const all = sumOf(bound);
  const added = `ε = ${roundedUp(bound.each)} for ${partsOf(bound)}`;
  if (all !== null) return `${what}: ε = ${roundedUp(all)} (${added})`;
  const { units, reportingSites } = EXAMPLE_COUNTS;
  const example = [
    ...(bound.unit === null ? [] : [`${units} ${plurals[bound.unit]}`]),
    ...(bound.perReportingSite ? [`${reportingSites} reporting sites`] : []),
  ].join(' and ');
  return `${what}: no limit (${added}: ${roundedUp(sumOf(bound, EXAMPLE_COUNTS) ?? Infinity)} with ${example})`;
}

const plurals = {
  impression: 'impressions in each period',
  'user-publisher': 'publishers',
  'user-advertiser': 'advertisers',
} as const satisfies Record<NonNullable<JointBound['unit']>, string>;

const singulars = {
  impression: 'each impression',
  'user-publisher': 'each publisher',
  'user-advertiser': 'each advertiser',
} as const satisfies Record<NonNullable<JointBound['unit']>, string>;

function partsOf({ unit, perReportingSite, periods, period }: JointBound): string {
  const units = unit === null ? 'all impressions' : singulars[unit];
  const sites = perReportingSite ? ' and each reporting site' : '';
  const times = periods === 1 ? 'the one period' : `each of ${periods} periods`;
  return `${units}${sites} in ${times} of ${period} ${period === 1 ? 'day' : 'days'}`;
}
