import type { Report } from '../../src/model/records';
import { effectiveDebug, type Settings } from '../../formats/settings/settings';
import { after, type Moment } from '../../src/model/units';
import { nextStep } from '../../src/reports/next-step';

/** One try to send a report: its due time, and whether the report arrived. */
export interface Try {
  readonly time: Moment;
  readonly arrives: boolean;
}

/**
 * The tries of a report at their due times by window and retries, not at the device's actual times. A pending report gets one more try,
 * which is assumed to succeed.
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
