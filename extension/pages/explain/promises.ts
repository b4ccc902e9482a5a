import type { Observer } from '../../../analysis/audit/observer';
import { setupOf } from '../../../analysis/audit/relation';
import { promisedRelations, type PromisedRelation } from '../../../analysis/audit/relations';
import { chromiumLimits } from '../../../src/model/limits';
import type { BudgetSettings, MeasurementSettings } from '../../../src/model/mechanisms';
import { epsilon } from '../../../src/model/units';
import { jointLoss, roundedUp, type JointLoss } from '../../../analysis/audit/joint-bound';
import type { Settings } from '../../../formats/settings/settings';
import type { Trial } from '../../../formats/settings/trial';
import { spanOf, type BudgetHistoryToDate } from '../../consent/budget-history';
import { t, type MessageName } from '../../i18n';
import { words } from '../../words';
import { showDecimal, showInSentence } from '../words/words';

/** The highest ε that a source can register. */
const MOST = epsilon(chromiumLimits.maxSettableEpsilon);

const relations: Readonly<Record<PromisedRelation, MessageName>> = {
  'label-of-impression': 'promises_label_of_impression',
  'labels-of-unit': 'promises_labels_of_unit',
  'labels-before-next-impression': 'promises_labels_before_next_impression',
  conversion: 'promises_conversion',
  'click-moved': 'promises_click_moved',
  'other-ad-tech-elsewhere': 'promises_other_elsewhere',
  'other-ad-tech-here': 'promises_other_here',
  'conversions-of-other-ad-tech': 'promises_other_conversions',
  'labels-of-all': 'promises_labels_of_all',
  impression: 'promises_impression',
};

/** For each audited relation between two worlds, what these settings promise that observers cannot learn more than, and where not. */
export const promisesInWords = (settings: MeasurementSettings): readonly string[] => [
  ...Object.entries(relations).map(([relation, name]) => {
    const of = (observer: Observer): { readonly kind: PromiseKind; readonly epsilon: string } => {
      // Each is the name of one.
      const promise = promiseOf(relation as PromisedRelation, settings, observer);
      const kind = promise === null ? 'nothing' : Number.isFinite(promise) ? 'epsilon' : 'unlimited';
      return { kind, epsilon: showDecimal(promise ?? 0, 6) };
    };
    const [site, everyone] = [of('reporting-site'), of('everyone')];
    return t('promises_relation', {
      relation: t(name),
      promise: site.kind,
      epsilon: site.epsilon,
      joint: everyone.kind,
      jointEpsilon: everyone.epsilon,
    });
  }),
  ...[words.exception(settings) ?? []].flat(),
];

const promiseOf = (
  relation: PromisedRelation,
  settings: MeasurementSettings,
  observer: Observer,
): number | null =>
  promisedRelations[relation].neighbours(setupOf(settings, MOST, observer))?.promise ?? null;

type PromiseKind = 'nothing' | 'epsilon' | 'unlimited';

/** From here on, a factor of e^ε says nothing to a person. */
const PRACTICALLY_NOTHING = 14;

/** What all reports of one participation tell together, whoever gets them, in words for a participant. */
export function jointLimitInWords(trial: Trial, { soFar, ...history }: BudgetHistoryToDate): string {
  const { budget, aggregatableReports, collector } = trial.settings;
  const { most, ahead } = jointLoss(budget, spanOf(trial, history), { before: history.before, soFar });
  if (most === null || ahead === null) throw new RangeError('a trial has a joint budget');
  return t('consent_joint_limit', {
    totals: aggregatableReports && collector !== null ? 'yes' : 'no',
    earlier: history.before > 0 ? 'yes' : 'no',
    before: showInSentence(roundedUp(history.before)),
    each: showInSentence(roundedUp(ahead.each)),
    periods: ahead.periods,
    days: ahead.period,
    epsilon: showInSentence(roundedUp(most)),
    size: most > PRACTICALLY_NOTHING ? 'large' : 'small',
    factor: Math.ceil(Math.exp(Math.min(most, PRACTICALLY_NOTHING))),
  });
}

/** The loss to everyone together until now, and the most that it can become. */
export const jointLossInWords = ({ soFar, most, ahead }: JointLoss, { joint }: BudgetSettings): string =>
  t('budget_joint_loss', {
    soFar: showInSentence(roundedUp(soFar)),
    most: showInSentence(roundedUp(most ?? 0)),
    each: showInSentence(joint?.epsilon ?? 0),
    limit: ahead !== null ? 'study' : joint === null ? 'none' : 'period',
  });

/** What ε promises a participant, by the relations that concern them. A collector gets all reports, so it learns what everyone together may. */
export function promiseInWords({
  budget,
  collector,
  ...settings
}: MeasurementSettings & Pick<Settings, 'collector'>): string {
  const observer = collector === null ? 'reporting-site' : 'everyone';
  const ofOneAd = promiseOf('label-of-impression', { budget, ...settings }, observer) ?? Infinity;
  return t('consent_promise', {
    epsilon: showInSentence(ofOneAd),
    factor: Math.ceil(Math.exp(ofOneAd)),
    ...(collector === null ? limitToSite(budget) : limitToEveryone(budget)),
    days: budget.period,
  });
}

/** What limits the sum over several ads, as a case in a message, and its ε. */
interface SumLimit {
  readonly unit: string;
  readonly whole: string;
}

const limitToSite = ({ epsilon: whole, attributionEpsilon, unit }: BudgetSettings): SumLimit =>
  whole === null
    ? { unit: 'none', whole: '' }
    : // Cases have no hyphens.
      { unit: unit.replace('user-', ''), whole: showInSentence(whole - attributionEpsilon) };

const limitToEveryone = ({ joint }: BudgetSettings): SumLimit =>
  joint === null ? { unit: 'none', whole: '' } : { unit: 'user', whole: showInSentence(joint.epsilon) };
