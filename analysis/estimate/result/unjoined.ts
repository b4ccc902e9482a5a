import type { LostReports } from '../unbiased/lost-reports';
import type { EstimateResultJson } from './estimate-result';
import type { Analysed } from './totals';

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

/** With fewer reports in a hundred, the error of what is estimated of 2,000 sources is a small part of that of the noise. */
const FEW_PERCENT = 1;

/**
 * Whether more than a few of the used reports state another noise rate than their source in the log has. With the noise of such a log, noise can look
 * like conversions.
 */
export const contradictRates = ({ used, other_rate: other }: ReportCounts): boolean =>
  100 * other > FEW_PERCENT * used;

/**
 * Reports that were due when no window of their source ends, as reports of devices with a wrong clock are. They are left out and count as lost. Null if they
 * are only a few, if most reports do not fit the log, so that its times are wrong, if no report was used, or if the estimates of all configurations make up for
 * them.
 * @param losses of each configuration that has windows (`lossesWithWindows`).
 */
export function lostByClocks(
  reports: ReportCounts,
  losses: readonly (KnownLoss | null)[],
): { readonly missing: number; readonly expected: number } | null {
  const missing = reports.inconsistent.window;
  const expected = reports.used + missing;
  const areCounted =
    losses.length > 0 && losses.every((lost) => lost !== null && isCounted(lost, missing / expected));
  return areCounted ||
    reports.used === 0 ||
    unjoinedReports(reports).isMost ||
    100 * missing <= FEW_PERCENT * expected
    ? null
    : { missing, expected };
}

type KnownLoss = Pick<LostReports, 'from' | 'range'>;

/** Whether a loss can include this share of reports that no window has. Whoever gives a loss knows of them; how late reports come does not show them. */
const isCounted = ({ from, range: [, most] }: KnownLoss, share: number): boolean =>
  from === 'given' || (from !== 'delays' && share <= most);

/** Reports of values are due whenever they are. */
export const lossesWithWindows = (configurations: readonly Analysed[]): readonly (KnownLoss | null)[] =>
  configurations.flatMap(({ analysis: { estimator, lost } }) => (estimator.valued ? [] : [lost]));

/**
 * Whether there are reports, but none fits a source: then ids or times of one of the logs are wrong, and zeros say nothing about
 * conversions.
 */
export const noneJoins = (reports: ReportCounts): boolean =>
  reports.used === 0 && unjoinedReports(reports).isMost;
