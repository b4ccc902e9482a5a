import type { Source } from '../../../src/model/records';
import { windowEnds } from '../../../src/inspect/windows';
import type { ReportRow } from '../data/tables/reports';
import type { TriggerEntry } from '../data/tables/triggers';
import { plain } from './outcome';

/** What can be said of a source's reports, one sentence each, the most important first. */
export interface SourceAccount {
  readonly sentences: readonly string[];
  /** When the next report of the source can leave; null when none can any more. */
  readonly next: number | null;
}

/** Why a source has no report yet, or which it has, and when the next can come. */
export function accountOf(
  source: Source,
  {
    conversions,
    reports,
    now,
    truth,
  }: {
    readonly conversions: readonly TriggerEntry[];
    readonly reports: readonly ReportRow[];
    readonly now: number;
    readonly truth: boolean;
  },
): SourceAccount {
  const waiting = reports.filter(({ finished }) => finished === null);
  const waits = waiting.map(({ report }) => report.nextAttempt);
  if (truth && source.noise.kind === 'replaced') return noisedAccount(source, waits);
  const open = windowEnds(source).filter((end) => end > now);
  if (source.noise.kind === 'undrawn')
    return {
      sentences: [
        `Its output is drawn by ${source.noise.mechanism} when its report window closes; until then nothing leaves, whatever happens.`,
        ...(truth ? [conversionsSentence(conversions, truth)] : []),
      ],
      next: windowEnds(source)[0] ?? null,
    };
  const next = waits.length > 0 ? Math.min(...waits) : source.expiryTime > now ? (open[0] ?? null) : null;
  return {
    sentences: [
      reportsSentence(reports, waiting.length),
      conversionsSentence(conversions, truth),
      windowSentence(source, open, now),
      ...(truth || conversions.length > 0
        ? []
        : ['Randomized response may have decided its output already; only debug mode tells.']),
    ].filter((sentence) => sentence !== ''),
    next,
  };
}

function noisedAccount(source: Source, waits: readonly number[]): SourceAccount {
  const reports = source.noise.kind === 'replaced' ? source.noise.reports : 0;
  const decided =
    reports === 0
      ? 'Randomized response decided, when the source was registered, that it reports nothing, whatever happens.'
      : `Randomized response decided, when the source was registered, what it reports: ${reports} invented ${reports === 1 ? 'report' : 'reports'}. Conversions change nothing.`;
  return { sentences: [decided], next: waits.length === 0 ? null : Math.min(...waits) };
}

function reportsSentence(reports: readonly ReportRow[], waiting: number): string {
  if (reports.length === 0) return 'It has made no report.';
  const sent = reports.filter(({ finished }) => finished?.end === 'delivered').length;
  return `It has made ${reports.length} ${reports.length === 1 ? 'report' : 'reports'}: ${sent} sent, ${waiting} waiting.`;
}

function conversionsSentence(conversions: readonly TriggerEntry[], truth: boolean): string {
  if (conversions.length === 0) return 'No conversion has met it as the best source.';
  const dropped = conversions.flatMap(({ decision }) =>
    decision.kind === 'dropped' && (truth || decision.reason !== 'trigger-event-noise')
      ? [plain(decision.reason)]
      : [],
  );
  const reasons = [...new Set(dropped)].join(', ');
  return `${conversions.length} ${conversions.length === 1 ? 'conversion' : 'conversions'} met it${reasons === '' ? '' : `; ${dropped.length} came to nothing (${reasons})`}.`;
}

function windowSentence({ expiryTime }: Source, open: readonly number[], now: number): string {
  if (expiryTime <= now) return 'It has expired, so that no conversion can be credited to it any more.';
  if (open.length === 0) return 'Its last report window has closed: later conversions make no report.';
  return `A conversion now would be reported when the ${open.length === 1 ? 'last' : 'present'} report window closes.`;
}
