import type { Source } from '../../../src/model/records';
import { noiseKind } from '../../../src/reports/event-level-report';
import { windowEnds } from '../../window-ends';
import type { ReportRow } from '../data/report-row';
import type { TriggerEntry } from '../data/trigger-entry';
import { t } from '../../i18n';
import { dependsOnNoise } from '../words/outcome';
import { outcomeWords } from '../words/outcome-words';
import { least } from '../../../numeric/extremes';

/** Sentences about a source's reports, the most important first. */
export interface SourceAccount {
  readonly sentences: readonly string[];
  /** When the next report of the source can leave; null if there will be none. */
  readonly next: number | null;
}

/** Why a source has no report yet, or which it has, and when the next can come. */
export function accountOf(
  source: Source,
  {
    triggers,
    reports,
    now,
    truth,
  }: {
    readonly triggers: readonly TriggerEntry[];
    readonly reports: readonly ReportRow[];
    readonly now: number;
    readonly truth: boolean;
  },
): SourceAccount {
  const waiting = reports.filter(({ finished }) => finished === null);
  const waits = waiting.map(({ report }) => report.nextAttempt);
  if (truth && source.noise.kind === 'replaced') return noisedAccount(source, waits);
  const isOverBudget = source.overBudget === true;
  const budgetSentences = isOverBudget ? [t('explain_source_over_budget')] : [];
  const open = windowEnds(source).filter((end) => end > now);
  if (source.noise.kind === 'undrawn')
    return {
      sentences: [
        ...budgetSentences,
        t('explain_source_undrawn', { mechanism: source.noise.mechanism }),
        ...(truth ? [triggersSentence(triggers, truth)] : []),
      ],
      next: windowEnds(source)[0] ?? null,
    };
  const next =
    waits.length > 0 ? least(waits) : source.expiryTime > now && !isOverBudget ? (open[0] ?? null) : null;
  return {
    sentences: [
      ...budgetSentences,
      reportsSentence(reports, waiting.length),
      triggersSentence(triggers, truth),
      ...(isOverBudget ? [] : [windowSentence(source, open, now)]),
      ...(truth || triggers.length > 0 ? [] : [t('explain_source_may_be_noised')]),
    ],
    next,
  };
}

function noisedAccount(source: Source, waits: readonly number[]): SourceAccount {
  const reports = source.noise.kind === 'replaced' ? source.noise.reports : 0;
  return {
    sentences: [
      noiseKind(source) === 'forced'
        ? t('explain_source_forced', { n: reports })
        : t('explain_source_noised', { n: reports }),
    ],
    next: waits.length === 0 ? null : least(waits),
  };
}

function reportsSentence(reports: readonly ReportRow[], waiting: number): string {
  if (reports.length === 0) return t('explain_source_no_report');
  const sent = reports.filter(({ finished }) => finished?.end === 'delivered').length;
  return t('explain_source_reports', { n: reports.length, sent, waiting });
}

function triggersSentence(triggers: readonly TriggerEntry[], truth: boolean): string {
  if (triggers.length === 0) return t('explain_source_no_conversion');
  const dropped = triggers.flatMap(({ decision }) =>
    decision.kind === 'dropped' && (truth || !dependsOnNoise(decision))
      ? [outcomeWords(decision.reason)]
      : [],
  );
  const reasons = [...new Set(dropped)].join(', ');
  return t('explain_source_conversions', { n: triggers.length, dropped: dropped.length, reasons });
}

function windowSentence({ expiryTime }: Source, open: readonly number[], now: number): string {
  if (expiryTime <= now) return t('explain_source_expired');
  if (open.length === 0) return t('explain_source_windows_closed');
  return t('explain_source_window_open', { windows: open.length });
}
