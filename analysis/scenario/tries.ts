import type { Report } from '../../src/model/records';
import { effectiveDebug, type Settings } from '../../src/model/settings';
import { after, type Moment } from '../../src/model/units';
import { nextStep } from '../../src/reports/next-step';

/** One try to send a report: when it was due, and whether the report arrived. */
export interface Try {
  readonly time: Moment;
  readonly arrives: boolean;
}

/**
 * The tries of a report, when they were due by its window and its retries rather than when the device made them. A report that
 * still waits has one more, which is taken to arrive.
 */
export function nominalTries(report: Report, settings: Settings): readonly Try[] {
  const { delay } = effectiveDebug(settings);
  let time = delay ? report.reportTime : (report.attempts[0]?.time ?? report.nextAttempt);
  const tries: Try[] = [];
  for (const [index, { outcome }] of report.attempts.entries()) {
    const step = nextStep(settings.deliveryProfile, report, outcome, index + 1);
    tries.push({ time, arrives: step.kind === 'delivered' });
    if (step.kind !== 'retry') return tries;
    time = after(time, step.after);
  }
  return [...tries, { time, arrives: true }];
}
