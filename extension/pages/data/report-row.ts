import type { FinishedReport, Report } from '../../../src/model/records';

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

/** Whether the report's existence or end reveals what randomized response protects. */
export const tellsTheTruth = (row: ReportRow): boolean =>
  isOnlyTruth(row) || (row.finished !== null && endsWithTruth.has(row.finished.end));

/** Whether the report only holds the truth of a noised source. It is never sent; fake reports are sent instead. */
export const isOnlyTruth = ({ report, finished }: ReportRow): boolean =>
  finished === null ? report.event?.held === true : finished.end === 'randomized';
