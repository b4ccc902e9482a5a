import type { DeliveryOutcome, FinishedReport, Report } from '../model/records';
import { days, minutes, type Duration, type Moment } from '../model/units';

/** What happens when a report cannot be sent: it is tried for 30 days, or as in Chrome twice more. */
export type DeliveryProfile = 'lossless' | 'chrome';

export type NextStep =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly after: Duration }
  | { readonly kind: 'give-up' };

/** Chromium: five minutes after the first failure, fifteen after the second, then never. */
const CHROME_RETRIES = [minutes(5), minutes(15)];
/** Doubles from a minute to six hours: soon after a short outage, rarely during a long one. */
const FIRST_RETRY = minutes(1);
const LONGEST_RETRY = minutes(360);
/** How long after its due time, and after the first try to send it, an undelivered report is kept. */
const MAX_REPORT_AGE = days(30);

/** No report is due so long after it was made (ARA, 30 days of expiry and an hour), so only a clock that was ahead can put a try off so far. */
export const LONGEST_WAIT = days(31);

/** Overdue reports of a closed or offline browser leave within this time (ARA, "queue reports for delivery"). */
export const MAX_OFFLINE_DELAY = minutes(1);

/** Whether an undelivered report is given up for its age. Tries by a clock that was ahead do not count. */
function isTooOld({ reportTime, attempts }: Pick<Report, 'reportTime' | 'attempts'>, now: Moment): boolean {
  const first = attempts.find(({ time }) => time <= now)?.time ?? now;
  return now - Math.max(reportTime, first) > MAX_REPORT_AGE;
}

/** @param attempts number of tries, this one included. */
export function nextStep(
  profile: DeliveryProfile,
  report: Pick<Report, 'kind'>,
  outcome: DeliveryOutcome,
  attempts: number,
): NextStep {
  if (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300)
    return { kind: 'delivered' };
  if (profile === 'lossless') return { kind: 'retry', after: losslessDelay(attempts) };
  // Chromium does not retry after an HTTP error, and tries debug reports once.
  const wait =
    outcome.kind === 'unreachable' && (report.kind === 'event-level' || report.kind === 'aggregatable')
      ? CHROME_RETRIES[attempts - 1]
      : undefined;
  return wait === undefined ? { kind: 'give-up' } : { kind: 'retry', after: wait };
}

function losslessDelay(attempts: number): Duration {
  // The bound keeps the power a whole number.
  return Math.min(FIRST_RETRY * 2 ** Math.min(attempts - 1, 30), LONGEST_RETRY) as Duration;
}

/** How the report ends after this step; null: it does not. */
export function endOfReport(step: NextStep, report: Report, now: Moment): FinishedReport['end'] | null {
  if (step.kind === 'delivered') return 'delivered';
  if (step.kind === 'give-up') return 'given-up';
  return isTooOld(report, now) ? 'aged-out' : null;
}
