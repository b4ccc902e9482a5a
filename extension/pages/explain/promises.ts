import { neighbours, relationIds, type RelationId } from '../../../analysis/audit/relations';
import { chromiumLimits } from '../../../src/model/limits';
import type { MeasurementSettings } from '../../../src/model/mechanisms';
import { epsilon } from '../../../src/model/units';
import {
  EXAMPLE_COUNTS,
  jointBound,
  roundedUp,
  sumOf,
  type JointBound,
} from '../../../analysis/audit/joint-bound';
import type { Trial } from '../../../formats/settings/trial';
import { spendsFrom, type BudgetHistory } from '../../consent/budget-history';
import { t, type MessageName } from '../../i18n';
import { showDecimal } from '../words/words';

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

/** From here on, a factor of e^ε says nothing to a person. */
const PRACTICALLY_NOTHING = 14;

/** What all reports of one participation tell together, whoever gets them, in words for a participant. */
export function jointInWords(trial: Trial, budgets: BudgetHistory): string {
  const { budget, aggregatableReports, collector } = trial.settings;
  const bound = jointBound(budget, { start: spendsFrom(trial, budgets), end: trial.end });
  const all = sumOf(bound);
  const reports = {
    totals: aggregatableReports && collector !== null ? 'yes' : 'no',
    version: budgets.earlier.length > 0 ? 'later' : 'first',
  } as const;
  const words =
    bound.each === null ? t('consent_joint_no_budget', reports) : jointOf(bound, bound.each, all, reports);
  return budgets.earlier.length === 0 ? words : `${words} ${earlierInWords(budgets, all)}`;
}

function jointOf(
  bound: JointBound,
  each: number,
  all: number | null,
  reports: { readonly totals: 'yes' | 'no'; readonly version: 'later' | 'first' },
): string {
  const { periods, period, unit, perReportingSite } = bound;
  const added = { ...reports, each: showDecimal(roundedUp(each)), periods, days: period } as const;
  if (all !== null)
    return t('consent_joint_limit', {
      ...added,
      epsilon: showDecimal(roundedUp(all)),
      size: all > PRACTICALLY_NOTHING ? 'large' : 'small',
      factor: Math.ceil(Math.exp(Math.min(all, PRACTICALLY_NOTHING))),
    });
  return t('consent_joint_no_limit', {
    ...added,
    unit: unit?.replace('user-', '') ?? 'none',
    sites: perReportingSite ? 'each' : 'together',
    units: EXAMPLE_COUNTS.units,
    companies: EXAMPLE_COUNTS.reportingSites,
    example: roundedUp(sumOf(bound, EXAMPLE_COUNTS) ?? Infinity),
  });
}

/** What was sent under earlier versions comes on top. */
function earlierInWords({ earlier }: BudgetHistory, later: number | null): string {
  const sums = earlier.map(({ budget, ...span }) => sumOf(jointBound(budget, span)) ?? Infinity);
  const before = sums.reduce((sum, one) => sum + one, 0);
  if (!Number.isFinite(before)) return t('consent_joint_earlier_no_limit');
  return t('consent_joint_earlier', {
    before: showDecimal(roundedUp(before)),
    limit: later === null ? 'no' : 'yes',
    all: showDecimal(roundedUp(before + (later ?? 0))),
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
