import { type Check, type CheckId } from '../../../src/model/checks';
import type { Issue } from '../../../formats/codec/mistakes';
import type { LogEntry, ShareDecision } from '../../../src/model/decision';
import { sourcesCredited } from '../data/trigger-entry';
import { t } from '../../i18n';
import { allOf } from '../words/words';
import { words } from '../../words';
import { checkTexts } from '../../check-texts';
import { explainCheck, triggerChecks, sourceChecks, type CheckExplanation } from './checks';
import { dependsOnNoise, outcomeOf, saysForced } from '../words/outcome';
import { untilTruth } from '../data/until-truth';

export interface WhyStep {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'not-reached' | 'concealed';
  readonly detail: string;
  /** Whether this check decided the outcome. */
  readonly deciding: boolean;
  readonly explanation: CheckExplanation | null;
}

/**
 * The checks that were made, in order, then those that were not reached.
 * @param truth false hides what noise did, and with it every check that is made only for truthful sources
 */
export function whySteps(entry: LogEntry, truth: boolean): readonly WhyStep[] {
  if (entry.kind === 'refused' || entry.kind === 'ignored') return [];
  const made = truth ? entry.checks : untilTruth(entry.checks);
  if (made.length === entry.checks.length) return allSteps(entry);
  return [
    ...made.map((check) => stepOf(check, false)),
    ...checksAfter(made, entry).map((id) => stepWithout(id, 'concealed')),
  ];
}

/** The same for aggregatable reports, which only debug mode shows: the noise that protects them comes later. */
export const aggregatableSteps = (checks: readonly Check[]): readonly WhyStep[] =>
  checks.map((check) => stepOf(check, !check.passed));

type DecidedEntry = Extract<LogEntry, { kind: 'source' | 'trigger' }>;

function allSteps(entry: DecidedEntry): readonly WhyStep[] {
  const isDropped = entry.decision.kind === 'dropped' || entry.decision.kind === 'rejected';
  const made: readonly Check[] =
    isDropped && entry.checks.every(({ passed }) => passed)
      ? [...entry.checks, { id: 'event-trigger-data', passed: false, values: {}, discloses: 'nothing' }]
      : entry.checks;
  const deciding = isDropped ? made.findIndex(({ passed }) => !passed) : -1;
  const rest = isDropped ? checksAfter(made, entry) : [];
  return [
    ...made.map((check, index) => stepOf(check, index === deciding)),
    ...rest.map((id) => stepWithout(id, 'not-reached')),
  ];
}

const stepOf = (check: Check, deciding: boolean): WhyStep => ({
  name: check.id,
  outcome: check.passed ? 'passed' : 'failed',
  detail: words.check(check),
  deciding,
  explanation: explanationOf(check),
});

/** Null for checks of newer versions. */
const explanationOf = (check: Check): CheckExplanation | null =>
  Object.hasOwn(checkTexts.questions, check.id) ? explainCheck(check.id, saysForced(check)) : null;

const stepWithout = (id: CheckId, outcome: WhyStep['outcome']): WhyStep => ({
  name: id,
  outcome,
  detail: '',
  deciding: false,
  explanation: explainCheck(id, false),
});

/** The checks of the algorithm that follow those that were made. */
function checksAfter(made: readonly Check[], { kind }: DecidedEntry): readonly CheckId[] {
  const order = kind === 'source' ? sourceChecks : triggerChecks;
  const ids = new Set<string>(made.map(({ id }) => id));
  return order.slice(order.findLastIndex((id) => ids.has(id)) + 1);
}

/** A mistake in no part of a header needs a subject in a sentence about it. */
export const placeOf = (issue: Issue | undefined): 'part' | 'whole' =>
  issue?.path === '' ? 'whole' : 'part';

export function whySentence(entry: LogEntry, truth: boolean): string {
  if (entry.kind === 'refused') {
    const [first] = entry.errors;
    return first === undefined
      ? t('explain_why_malformed')
      : t('explain_why_malformed_as', {
          reason: words.issuesText([first]),
          place: placeOf(first),
          more: entry.errors.length - 1,
        });
  }
  if (entry.kind === 'ignored') {
    const reason = words.mistakeText(entry.reason);
    return t(entry.header === '' ? 'explain_why_without_header' : 'explain_why_ignored', { reason });
  }
  if (!truth && entry.kind === 'trigger' && dependsOnNoise(entry.decision))
    return t('explain_why_concealed', { source: String(sourcesCredited(entry.decision)) });
  const steps = whySteps(entry, truth);
  const deciding = steps.find((step) => step.deciding);
  if (deciding?.explanation != null) return deciding.explanation.failed;
  if (deciding !== undefined)
    return t('explain_why_check_failed', { name: deciding.name, detail: deciding.detail });
  const { decision } = entry;
  switch (decision.kind) {
    case 'stored':
      return decision.overBudget === undefined ? t('explain_why_kept') : t('explain_why_over_budget');
    case 'split':
      return t('explain_why_split', { shares: decision.shares.map(shareInWords).join(', ') });
    case 'attributed':
      return decision.reports.length === 0
        ? t('explain_why_no_bucket')
        : t('explain_why_credited', { source: String(decision.sourceId), n: decision.reports.length });
    case 'rejected':
    case 'dropped':
      return outcomeOf(entry, truth).words;
  }
}

const shareInWords = ({ decision: { sourceId }, values, from }: ShareDecision): string =>
  t('explain_why_share', {
    values: allOf([...values.map(String), ...(from === undefined ? [] : [t('explain_why_others')])]),
    source: String(sourceId ?? ''),
  });
