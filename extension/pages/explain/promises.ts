import { neighbours, relationIds, type RelationId } from '../../../analysis/audit/relations';
import { chromiumLimits } from '../../../src/model/limits';
import type { MeasurementSettings } from '../../../src/model/mechanisms';
import { epsilon, type Moment } from '../../../src/model/units';
import { EXAMPLE_COUNTS, jointBound, sumOf } from '../../../analysis/audit/joint-bound';
import type { Trial } from '../../../formats/settings/trial';
import { t, type MessageName } from '../../i18n';
import { showDecimal } from '../lib/words';

/** The highest ε that a source can register. */
const MOST = epsilon(chromiumLimits.maxSettableEpsilon);

const relations: Readonly<Record<RelationId, MessageName>> = {
  'label-of-impression': 'promises_label_of_impression',
  'labels-of-unit': 'promises_labels_of_unit',
  'labels-before-next-impression': 'promises_labels_before_next_impression',
  conversion: 'promises_conversion',
  'click-moved': 'promises_click_moved',
  'other-ad-tech-elsewhere': 'promises_other_elsewhere',
  'other-ad-tech-here': 'promises_other_here',
  'conversions-of-other-ad-tech': 'promises_other_conversions',
  impression: 'promises_impression',
};

/** For each audited relation between two worlds, what these settings promise an observer cannot learn more than. */
export const promisesInWords = (settings: MeasurementSettings): readonly string[] =>
  relationIds.map((relation) => {
    const { promise } = neighbours(relation, settings, MOST);
    return t('promises_relation', {
      relation: t(relations[relation]),
      promise: promise === null ? 'nothing' : Number.isFinite(promise) ? 'epsilon' : 'unlimited',
      epsilon: showDecimal(promise ?? 0, 6),
    });
  });

/** What all reports of a trial tell together, whoever gets them, in words for a participant. @param now where the trial has no start */
export function jointInWords({ settings: { budget }, start, end }: Trial, now: Moment): string {
  const bound = jointBound(budget, { start: start ?? now, end });
  const { each, periods, period: length, unit, perReportingSite } = bound;
  if (each === null) return t('consent_joint_no_budget');
  const all = sumOf(bound);
  const added = { each: showDecimal(each), periods, days: length } as const;
  if (all !== null)
    return t('consent_joint_limit', {
      ...added,
      epsilon: showDecimal(all),
      factor: Math.ceil(Math.exp(all)),
    });
  return t('consent_joint_no_limit', {
    ...added,
    unit: unit?.replace('user-', '') ?? 'none',
    sites: perReportingSite ? 'each' : 'together',
    units: EXAMPLE_COUNTS.units,
    companies: EXAMPLE_COUNTS.reportingSites,
    example: sumOf(bound, EXAMPLE_COUNTS) ?? Infinity,
  });
}

/** What ε promises a participant, by the relations that concern them. */
export function promiseInWords({ budget, ...settings }: MeasurementSettings): string {
  const of = (relation: RelationId): number =>
    neighbours(relation, { budget, ...settings }, MOST).promise ?? Infinity;
  return t('consent_promise', {
    epsilon: showDecimal(of('label-of-impression')),
    factor: Math.ceil(Math.exp(of('label-of-impression'))),
    // As a case in a message, which has no hyphens.
    unit: budget.epsilon === null ? 'none' : budget.unit.replace('user-', ''),
    days: budget.period,
    whole: showDecimal(budget.epsilon === null ? 0 : budget.epsilon - budget.attributionEpsilon),
  });
}
