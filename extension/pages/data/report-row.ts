import type { FinishedReport, Report, ReportKind } from '../../../src/model/records';

/** `finished` is null while the report is pending. */
export interface ReportRow {
  readonly report: Report;
  readonly finished: FinishedReport | null;
}

/** Ends that only true reports, or only fake ones, can have. */
const endsWithTruth: ReadonlySet<FinishedReport['end']> = new Set([
  'replaced',
  'randomized',
  'source-removed',
]);

/** Reports that only true ones have beside them, or that say what became of a conversion. */
const kindsWithTruth: ReadonlySet<ReportKind> = new Set([
  'event-level-debug',
  'aggregatable-debug',
  'verbose-debug',
]);

/** Whether the report's existence, content or end reveals what randomized response protects. */
export const tellsTheTruth = (row: ReportRow): boolean =>
  isOnlyTruth(row) ||
  kindsWithTruth.has(row.report.kind) ||
  (row.finished !== null && endsWithTruth.has(row.finished.end));

/** Whether the report only holds the truth of a noised source. It is never sent; fake reports are sent instead. */
export const isOnlyTruth = ({ report, finished }: ReportRow): boolean =>
  finished === null ? report.event?.held === true : finished.end === 'randomized';
