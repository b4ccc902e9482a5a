import { between, days, type Moment, type Origin, type Site } from '../model/units';
import { siteOf } from '../parsing/site';
import { pairKey, under } from '../store/store';
import type { Work } from '../work';
import type { NewRecord } from './attribution-limits';

/** ARA, "aggregatable debug rate-limit window". */
const WINDOW = days(1);
/** The other half of ARA's "max aggregatable debug budget per rate-limit window". */
const MAX_BUDGET_PER_REPORTING_SITE = 65_536;

/** ARA, "check if aggregatable debug reporting should be blocked by rate-limit". Also removes the old records of the context site. */
export async function isWithinSites(
  { tx, limits, trace }: Work,
  record: NewRecord,
  required: number,
): Promise<boolean> {
  let [ofAll, ofOwn] = [required, required];
  for (const { id, ...other } of await tx.table('rateLimits').where('pair', under(pairKey(record)))) {
    if (between(other.time, record.time) > WINDOW) tx.table('rateLimits').delete(id);
    else {
      ofAll += other.consumedBudget ?? 0;
      if (other.reportingSite === record.reportingSite) ofOwn += other.consumedBudget ?? 0;
    }
  }
  return (
    trace.within('debug-budget-of-site', ofAll, limits.maxAggregatableDebugBudgetPerSite) &&
    trace.within('debug-budget-of-reporting-site', ofOwn, MAX_BUDGET_PER_REPORTING_SITE)
  );
}

/** ARA, "aggregatable debug rate-limit record". */
export const debugRecord = (
  {
    contextSite,
    reportingOrigin,
    time,
  }: { readonly contextSite: Site; readonly reportingOrigin: Origin; readonly time: Moment },
  consumedBudget: number,
): NewRecord => ({
  scope: 'aggregate-debug',
  sourceSite: contextSite,
  destination: contextSite,
  reportingOrigin,
  reportingSite: siteOf(reportingOrigin),
  time,
  expiryTime: null,
  entityId: null,
  deactivatedForDestinationLimit: false,
  destinationLimitPriority: 0n,
  consumedBudget,
});
