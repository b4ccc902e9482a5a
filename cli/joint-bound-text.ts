import type { Trial } from '../formats/settings/trial';
import { moment } from '../src/model/units';
import { EXAMPLE_COUNTS, jointBound, sumOf, type JointBound } from '../analysis/audit/joint-bound';

/** What all event-level reports of one person in a trial tell whoever gets all of them, with what is added up. */
export function jointBoundText({ settings: { budget }, start, end }: Trial): string {
  const bound = jointBound(budget, { start: start ?? moment(Date.now()), end });
  const what = 'all event-level reports of one person in this trial, to all who get them';
  if (bound.each === null) return `${what}: no limit: each impression adds the ε that it registers`;
  const all = sumOf(bound);
  const added = `ε = ${bound.each} for ${partsOf(bound)}`;
  if (all !== null) return `${what}: ε = ${all} (${added})`;
  const { units, reportingSites } = EXAMPLE_COUNTS;
  const example = [
    ...(bound.unit === null ? [] : [`${units} ${plurals[bound.unit]}`]),
    ...(bound.perReportingSite ? [`${reportingSites} reporting sites`] : []),
  ].join(' and ');
  return `${what}: no limit (${added}: ${sumOf(bound, EXAMPLE_COUNTS) ?? Infinity} with ${example})`;
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
