import type { EstimateResultJson } from './estimate-result';

type ReportCounts = EstimateResultJson['reports'];

interface UnjoinedReports {
  /** Reports of no source of the log. */
  readonly unknown: number;
  /** Reports that their source cannot have made. */
  readonly misfits: number;
  /** Whether that is more than half of all, without repetitions. */
  readonly isMost: boolean;
}

/** Reports that fit no source of the log. */
export function unjoinedReports({
  read,
  duplicate,
  unknown_source: unknown,
  inconsistent,
}: ReportCounts): UnjoinedReports {
  const misfits = Object.values(inconsistent).reduce((sum, count) => sum + count, 0);
  return { unknown, misfits, isMost: 2 * (unknown + misfits) > read - duplicate };
}

/**
 * Whether most reports that are used state another noise rate than their source in the log has. With the noise of such a log, noise can look like
 * conversions.
 */
export const contradictRates = ({ used, other_rate: other }: ReportCounts): boolean => 2 * other > used;

/**
 * Whether there are reports, but none fits a source: then ids or times of one of the logs are wrong, and zeros say nothing about
 * conversions.
 */
export const noneJoins = (reports: ReportCounts): boolean =>
  reports.used === 0 && unjoinedReports(reports).isMost;
