import type { FinishedReport, Report } from '../../../src/model/records';

/** `finished` is null while the report is pending. */
export interface ReportRow {
  readonly report: Report;
  readonly finished: FinishedReport | null;
}

/** Whether the report only holds the truth of a noised source. It is never sent; fake reports are sent instead. */
export const isOnlyTruth = ({ report, finished }: ReportRow): boolean =>
  finished === null ? report.event?.held === true : finished.end === 'randomized';
