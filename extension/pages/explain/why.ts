import type { Check, LogEntry } from '../../../src/model/decision';
import { conversionChecks, explainCheck, sourceChecks, tellsTruth, type CheckExplanation } from './checks';

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
 * @param truth false conceals what noise did.
 */
export function whySteps(entry: LogEntry, truth: boolean): readonly WhyStep[] {
  if (entry.kind === 'refused' || entry.kind === 'ignored') return [];
  const isDropped = entry.decision.kind === 'dropped' || entry.decision.kind === 'rejected';
  const made: readonly Check[] =
    isDropped && entry.checks.every(({ passed }) => passed)
      ? [...entry.checks, { name: 'event trigger data', passed: false, detail: 'the trigger has none' }]
      : entry.checks;
  const deciding = isDropped ? made.findIndex(({ passed }) => !passed) : -1;
  const shownTo = !truth && deciding >= 0 && tellsTruth(made[deciding]?.name ?? '') ? deciding : made.length;
  const steps = made.slice(0, shownTo).map(({ name, passed, detail }, index): WhyStep => {
    const isConcealed = !truth && tellsTruth(name);
    return {
      name,
      outcome: isConcealed ? 'concealed' : passed ? 'passed' : 'failed',
      detail: isConcealed ? '' : detail,
      deciding: index === deciding,
      explanation: explainCheck(name),
    };
  });
  const names = new Set(steps.map(({ name }) => name));
  const order = entry.kind === 'source' ? sourceChecks : conversionChecks;
  const rest = isDropped ? order.slice(lastIndexIn(order, names) + 1) : [];
  return [
    ...steps,
    ...rest.map((name): WhyStep => {
      const isConcealed = !truth && shownTo < made.length;
      return {
        name,
        outcome: isConcealed ? 'concealed' : 'not-reached',
        detail: '',
        deciding: false,
        explanation: explainCheck(name),
      };
    }),
  ];
}

function lastIndexIn(order: readonly string[], names: ReadonlySet<string>): number {
  return order.reduce((last, name, index) => (names.has(name) ? index : last), -1);
}

/** The outcome in one sentence. */
export function whySentence(entry: LogEntry, truth: boolean): string {
  if (entry.kind === 'refused') return 'The header is malformed, so that it registered nothing.';
  if (entry.kind === 'ignored') return `The header registered nothing: ${entry.reason}.`;
  const steps = whySteps(entry, truth);
  const deciding = steps.find((step) => step.deciding);
  if (deciding?.explanation != null) return deciding.explanation.failed;
  if (deciding !== undefined) return `The check "${deciding.name}" failed: ${deciding.detail}.`;
  if (entry.kind === 'source') return 'The source passed every check and was kept.';
  if (!truth && entry.decision.kind === 'dropped')
    return 'The conversion was credited to the source, or noise decided for it: only debug mode tells which.';
  return attributedSentence(entry);
}

function attributedSentence({ decision }: Extract<LogEntry, { kind: 'trigger' }>): string {
  if (decision.kind === 'split')
    return `The value of the conversion was split: ${decision.shares.map(({ decision: { sourceId }, values }) => `${values.join(' and ')} for source ${sourceId ?? ''}`).join(', ')}.`;
  if (decision.kind !== 'attributed') return '';
  const { length } = decision.reports;
  if (length === 0)
    return 'The conversion was counted; its value entered no new summary bucket, so that it made no report.';
  return `The conversion was credited to source ${decision.sourceId} and made ${length === 1 ? 'a report' : `${length} reports`}.`;
}
