import { countSentReport } from '../limits/attribution-limits';
import type { Json } from '../model/json';
import type { DeliveryOutcome, InternalId, Report } from '../model/records';
import { after, type Moment } from '../model/units';
import type { Work } from '../work';
import { endOfReport, nextStep, type DeliveryProfile } from './next-step';
import { removeReport, replaceReport } from './pending';

/** Decides what becomes of a pending report after a try to send it: a delivered one is finished, any other is retried or given up. */
export function decideAttempt(
  { draft, limits }: Pick<Work, 'draft' | 'limits'>,
  id: InternalId,
  outcome: DeliveryOutcome,
  profile: DeliveryProfile,
  now: Moment,
  sent?: Json,
): void {
  const report = draft.get('reports', id);
  if (report === undefined) return;
  const body = sent ?? report.body;
  const tried: Report = { ...report, body, attempts: [...report.attempts, { time: now, outcome }] };
  const step = nextStep(profile, tried, outcome, tried.attempts.length);
  const end = endOfReport(step, tried, now);
  if (end !== null) {
    removeReport(draft, report);
    draft.put('finished', { id, report: tried, end, time: now });
  } else if (step.kind === 'retry') {
    replaceReport(draft, report, { ...tried, nextAttempt: after(now, step.after) });
  }
  // Its server may have it, whatever the answer was.
  if (report.attempts.length === 0) countSentReport(draft, limits, report, now);
}
