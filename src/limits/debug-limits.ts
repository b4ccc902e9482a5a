import {
  after,
  between,
  days,
  milliseconds,
  minutes,
  type Moment,
  type Origin,
  type Site,
} from '../model/units';
import { latest } from '../model/last-times';
import { siteOf } from '../model/site';
import type { DebugUse } from '../model/uses';
import type { Draft } from '../store/draft';
import type { Work } from '../work';

/** ARA, "aggregatable debug rate-limit window". */
const WINDOW = days(1);
/** The other half of ARA's "max aggregatable debug budget per rate-limit window". */
const MAX_BUDGET_PER_REPORTING_SITE = 65_536;

/** More are merged, so that the document stays small. */
const MOST_SPENT = 200;
const MERGED_TOGETHER = minutes(15);

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
  const spent = shortened([...recent, { reportingSite: siteOf(reportingOrigin), time, budget }]);
  draft.put('debugUse', { id, spent, end: endOfDebugUse(spent) });
}

/** When nothing counts any of it any more. A report that is exactly as old as the window still counts. */
export const endOfDebugUse = (spent: DebugUse['spent']): Moment =>
  after(latest(spent), milliseconds(WINDOW + 1));

type Spent = DebugUse['spent'][number];

/** If there are too many, those of a reporting site within the same minutes become one with the latest time, which counts longer. */
function shortened(spent: readonly Spent[]): readonly Spent[] {
  if (spent.length <= MOST_SPENT) return spent;
  const merged = new Map<string, Spent>();
  for (const one of spent) {
    const key = `${Math.floor(one.time / MERGED_TOGETHER)} ${one.reportingSite}`;
    const before = merged.get(key);
    merged.set(
      key,
      before === undefined
        ? one
        : { ...one, time: latest([before, one]), budget: before.budget + one.budget },
    );
  }
  return [...merged.values()];
}
