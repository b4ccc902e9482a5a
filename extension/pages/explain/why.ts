import type { Check, LogEntry, ShareDecision } from '../../../src/model/decision';
import { sourcesCredited } from '../data/tables/log';
import { t } from '../../i18n';
import { mistakeText } from '../../mistakes';
import { allOf } from '../lib/words';
import { detailText } from './check-details';
import { conversionChecks, explainCheck, sourceChecks, tellsTruth, type CheckExplanation } from './checks';
import { dependsOnNoise } from './outcome';

/** A check as the "why" view shows it. */
export interface WhyStep {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'not-reached' | 'concealed';
  readonly detail: string;
  /** Whether this is what decided. */
  readonly deciding: boolean;
  readonly explanation: CheckExplanation | null;
}

/**
 * Every check in the order in which it was made, then those that were not made any more.
 * @param truth false conceals what noise did, and so every check that is made only of sources that it left alone.
 */
export function whySteps(entry: LogEntry, truth: boolean): readonly WhyStep[] {
  if (entry.kind === 'refused' || entry.kind === 'ignored') return [];
  const noise = truth ? -1 : entry.checks.findIndex(({ name }) => tellsTruth(name));
  return noise < 0 ? allSteps(entry) : stepsUntilNoise(entry.checks.slice(0, noise));
}

function stepsUntilNoise(made: readonly Check[]): readonly WhyStep[] {
  return [
    ...made.map((check) => stepOf(check, false)),
    ...conversionChecks
      .slice(conversionChecks.findIndex(tellsTruth))
      .map((name) => stepWithout(name, 'concealed')),
  ];
}

function allSteps(entry: Extract<LogEntry, { kind: 'source' | 'trigger' }>): readonly WhyStep[] {
  const isDropped = entry.decision.kind === 'dropped' || entry.decision.kind === 'rejected';
  const made: readonly Check[] =
    isDropped && entry.checks.every(({ passed }) => passed)
      ? [
          ...entry.checks,
          { name: 'event trigger data', passed: false, detail: t('explain_why_no_event_data') },
        ]
      : entry.checks;
  const deciding = isDropped ? made.findIndex(({ passed }) => !passed) : -1;
  const names = new Set(made.map(({ name }) => name));
  const order = entry.kind === 'source' ? sourceChecks : conversionChecks;
  const rest = isDropped ? order.slice(lastIndexIn(order, names) + 1) : [];
  return [
    ...made.map((check, index) => stepOf(check, index === deciding)),
    ...rest.map((name) => stepWithout(name, 'not-reached')),
  ];
}

const stepOf = ({ name, passed, detail }: Check, deciding: boolean): WhyStep => ({
  name,
  outcome: passed ? 'passed' : 'failed',
  detail: detailText(detail),
  deciding,
  explanation: explainCheck(name),
});

const stepWithout = (name: string, outcome: WhyStep['outcome']): WhyStep => ({
  name,
  outcome,
  detail: '',
  deciding: false,
  explanation: explainCheck(name),
});

function lastIndexIn(order: readonly string[], names: ReadonlySet<string>): number {
  return order.reduce((last, name, index) => (names.has(name) ? index : last), -1);
}

/** The outcome in one sentence. */
export function whySentence(entry: LogEntry, truth: boolean): string {
  if (entry.kind === 'refused') return t('explain_why_malformed');
  if (entry.kind === 'ignored') return t('explain_why_ignored', { reason: mistakeText(entry.reason) });
  if (!truth && entry.kind === 'trigger' && dependsOnNoise(entry.decision))
    return t('explain_why_concealed', { source: String(sourcesCredited(entry.decision)) });
  const steps = whySteps(entry, truth);
  const deciding = steps.find((step) => step.deciding);
  if (deciding?.explanation != null) return deciding.explanation.failed;
  if (deciding !== undefined)
    return t('explain_why_check_failed', { name: deciding.name, detail: deciding.detail });
  if (entry.kind === 'source') return t('explain_why_kept');
  return attributedSentence(entry);
}

function attributedSentence({ decision }: Extract<LogEntry, { kind: 'trigger' }>): string {
  if (decision.kind === 'split')
    return t('explain_why_split', { shares: decision.shares.map(shareInWords).join(', ') });
  if (decision.kind !== 'attributed') return '';
  const { length } = decision.reports;
  if (length === 0) return t('explain_why_no_bucket');
  return t('explain_why_credited', { source: String(decision.sourceId), n: length });
}

const shareInWords = ({ decision: { sourceId }, values }: ShareDecision): string =>
  t('explain_why_share', { values: allOf(values.map(String)), source: String(sourceId ?? '') });
