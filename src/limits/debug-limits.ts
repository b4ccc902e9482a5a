import {
  after,
  between,
  days,
  milliseconds,
  minutes,
  moment,
  type Moment,
  type Origin,
  type Site,
} from '../model/units';
import { latest } from '../model/last-times';
import { siteOf } from '../model/site';
import type { DebugUse } from '../model/uses';
import type { Draft, Need } from '../store/draft';
import { keyOf } from '../store/rows';
import type { Work } from '../work';

/** ARA, "aggregatable debug rate-limit window". */
const WINDOW = days(1);
/** The other half of ARA's "max aggregatable debug budget per rate-limit window". */
const MAX_BUDGET_PER_REPORTING_SITE = 65_536;

/** More are merged, so that the document stays small. */
const MOST_SPENT = 200;
const MERGED_TOGETHER = minutes(15);

/** On which site an aggregatable debug report is made, and for whom. */
type Parties = Pick<DebugUse, 'contextSite'> & { readonly reportingOrigin: Origin };
/** And when. */
type Charge = Parties & { readonly time: Moment };

/** What was used of each of the two limits on a report: that of all reporting sites together, and that of its own. */
const usesOf = (draft: Draft, parties: Parties): readonly [ofAll: DebugUse, ofOwn: DebugUse] => [
  useOf(draft, parties.contextSite, null),
  useOf(draft, parties.contextSite, siteOf(parties.reportingOrigin)),
];

function useOf(draft: Draft, contextSite: Site, reportingSite: Site | null): DebugUse {
  const id = debugUseKey(contextSite, reportingSite);
  return draft.get('debugUse', id) ?? { id, contextSite, reportingSite, spent: [], end: moment(0) };
}

const debugUseKey = (contextSite: Site, reportingSite: Site | null): string =>
  reportingSite === null ? keyOf(contextSite) : keyOf(contextSite, reportingSite);

/** What the limits on a report look at. */
export const debugLimitNeeds = ({ contextSite, reportingOrigin }: Parties): readonly Need[] =>
  [null, siteOf(reportingOrigin)].map((site) => ({ of: 'debugUse', id: debugUseKey(contextSite, site) }));

/** ARA, "check if aggregatable debug reporting should be blocked by rate-limit". @param required the sum of the report's values */
export function isWithinSites({ draft, limits, trace }: Work, charge: Charge, required: number): boolean {
  const [ofAll, ofOwn] = usesOf(draft, charge);
  const together = ({ spent }: DebugUse): number =>
    recent(spent, charge.time).reduce((sum, { budget }) => sum + budget, required);
  return (
    trace.within('debug-budget-of-site', together(ofAll), limits.maxAggregatableDebugBudgetPerSite) &&
    trace.within('debug-budget-of-reporting-site', together(ofOwn), MAX_BUDGET_PER_REPORTING_SITE)
  );
}

/** Counts a report for both limits. @param budget the sum of its values */
export function countDebugBudget(draft: Draft, charge: Charge, budget: number): void {
  const { time } = charge;
  for (const use of usesOf(draft, charge)) {
    const spent = merged([...recent(use.spent, time), { time, budget }]);
    draft.put('debugUse', { ...use, spent, end: endOfDebugUse(spent) });
  }
}

const recent = (spent: DebugUse['spent'], now: Moment): DebugUse['spent'] =>
  spent.filter(({ time }) => between(time, now) <= WINDOW);

/** When nothing counts any of it any more. A report that is exactly as old as the window still counts. */
export const endOfDebugUse = (spent: DebugUse['spent']): Moment =>
  after(latest(spent), milliseconds(WINDOW + 1));

/** If there are too many, those of the same minutes become one with the latest time, which counts longer. */
function merged(spent: DebugUse['spent']): DebugUse['spent'] {
  if (spent.length <= MOST_SPENT) return spent;
  const byMinutes = new Map<number, DebugUse['spent'][number]>();
  for (const one of spent) {
    const key = Math.floor(one.time / MERGED_TOGETHER);
    const before = byMinutes.get(key);
    const together =
      before === undefined ? one : { time: latest([before, one]), budget: before.budget + one.budget };
    byMinutes.set(key, together);
  }
  return [...byMinutes.values()];
}
