import { after, between, days, milliseconds, type Moment, type Origin, type Site } from '../model/units';
import { siteOf } from '../parsing/site';
import type { Draft } from '../store/draft';
import type { Work } from '../work';
import { latest } from './attribution-limits';

/** ARA, "aggregatable debug rate-limit window". */
const WINDOW = days(1);
/** The other half of ARA's "max aggregatable debug budget per rate-limit window". */
const MAX_BUDGET_PER_REPORTING_SITE = 65_536;

/** Of an aggregatable debug report. */
interface Subject {
  readonly contextSite: Site;
  readonly reportingOrigin: Origin;
  readonly time: Moment;
}

/** ARA, "check if aggregatable debug reporting should be blocked by rate-limit". */
export function isWithinSites(
  { draft, limits, trace }: Work,
  { contextSite, reportingOrigin, time }: Subject,
  required: number,
): boolean {
  let [ofAll, ofOwn] = [required, required];
  const reportingSite = siteOf(reportingOrigin);
  for (const spent of draft.get('debugUse', contextSite)?.spent ?? []) {
    if (between(spent.time, time) > WINDOW) continue;
    ofAll += spent.budget;
    if (spent.reportingSite === reportingSite) ofOwn += spent.budget;
  }
  return (
    trace.within('debug-budget-of-site', ofAll, limits.maxAggregatableDebugBudgetPerSite) &&
    trace.within('debug-budget-of-reporting-site', ofOwn, MAX_BUDGET_PER_REPORTING_SITE)
  );
}

export function countDebugBudget(draft: Draft, subject: Subject, budget: number): void {
  const { contextSite: id, reportingOrigin, time } = subject;
  const recent = (draft.get('debugUse', id)?.spent ?? []).filter(
    (spent) => between(spent.time, time) <= WINDOW,
  );
  const spent = [...recent, { reportingSite: siteOf(reportingOrigin), time, budget }];
  // A report that is exactly as old as the window still counts.
  const end = after(latest(spent.map((one) => one.time)), milliseconds(WINDOW + 1));
  draft.put('debugUse', { id, spent, end });
}
