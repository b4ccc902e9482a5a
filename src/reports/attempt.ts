import type { Json } from '../model/json';
import type { DeliveryOutcome, InternalId, Report } from '../model/records';
import { after, type Moment } from '../model/units';
import type { Draft } from '../store/draft';
import { endOf, nextStep, type DeliveryProfile } from './next-step';
import { finishReport } from './pending';

/** Decides what becomes of a pending report after a try to send it: a delivered one is finished, any other is retried or given up. */
export function decideAttempt(
  draft: Draft,
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
  const end = endOf(step, tried, now);
  if (end !== null) finishReport(draft, tried, end, now);
  else if (step.kind === 'retry') draft.put('reports', { ...tried, nextAttempt: after(now, step.after) });
}
