import type { Limits } from '../model/limits';
import type { RateLimitRecord, Report, Source } from '../model/records';
import { between, type Moment, type Origin, type Site } from '../model/units';
import type { Work } from '../work';
import { siteOf } from '../parsing/site';
import { ordered, pairKey, under, type ReadTransaction, type Transaction } from '../store/store';

/** A record without its id. */
export type NewRecord = Omit<RateLimitRecord, 'id'>;

export type AttributionLimitResult =
  | { readonly kind: 'allowed' }
  | {
      readonly kind: 'blocked';
      readonly reason: 'trigger-event-attributions-per-source-destination-limit';
      readonly limit: number;
    }
  | { readonly kind: 'blocked'; readonly reason: 'trigger-reporting-origin-limit'; readonly limit: number };

/** ARA, "check if attribution should be blocked by rate limits". */
export async function checkAttributionLimits(
  work: Work,
  record: NewRecord,
  triggerTime: Moment,
): Promise<AttributionLimitResult> {
  const { limits, trace } = work;
  const origins = await recentOrigins(work, record, triggerTime);
  const attributions = await attributionsOf(work, record, origins, triggerTime);
  if (!trace.within('attributions-per-pair', attributions + 1, limits.maxAttributions)) {
    return {
      kind: 'blocked',
      reason: 'trigger-event-attributions-per-source-destination-limit',
      limit: limits.maxAttributions,
    };
  }
  if (!trace.within('attributing-origins', origins.length, limits.maxAttributionReportingOrigins)) {
    return {
      kind: 'blocked',
      reason: 'trigger-reporting-origin-limit',
      limit: limits.maxAttributionReportingOrigins,
    };
  }
  return { kind: 'allowed' };
}

/**
 * The reporting origins with records of the scope, source site and destination of a new one, and its own. Times are the sources';
 * the window ends at the trigger, as in Chromium.
 */
export async function recentOrigins(
  { tx, limits }: Work,
  record: NewRecord,
  now: Moment,
): Promise<readonly Origin[]> {
  const newest = await tx.table('rateLimits').lastOfEach('pair', under(pairKey(record)));
  const recent = newest.filter(({ row }) => between(row.time, now) < limits.attributionRateLimitWindow);
  return [...new Set([...recent.map(({ row }) => row.reportingOrigin), record.reportingOrigin])];
}

/** The number of recent records with the new one's reporting site. */
async function attributionsOf(
  { tx, limits }: Work,
  record: NewRecord,
  origins: readonly Origin[],
  now: Moment,
): Promise<number> {
  let count = 0;
  for (const origin of origins.filter((one) => siteOf(one) === record.reportingSite)) {
    const all = under(pairKey(record), record.reportingSite, origin);
    const begin = now - limits.attributionRateLimitWindow;
    const recent = begin < 0 ? all : { ...all, above: `${all.above}${ordered(begin)}` };
    count += await tx.table('rateLimits').countWhere('pair', recent);
  }
  return count;
}

export function attributionRecord(source: Source, destination: Site, report: Report): NewRecord {
  return {
    scope: 'event-attribution',
    sourceSite: source.sourceSite,
    destination,
    reportingOrigin: source.reportingOrigin,
    reportingSite: siteOf(source.reportingOrigin),
    time: source.time,
    expiryTime: null,
    entityId: report.id,
    deactivatedForDestinationLimit: false,
    destinationLimitPriority: 0n,
  };
}

export async function addRecord(tx: Transaction, record: NewRecord): Promise<void> {
  await tx.table('rateLimits').put({ ...record, id: await tx.nextId() });
}

export const recordsOfReport = (tx: ReadTransaction, reportId: number): Promise<RateLimitRecord[]> =>
  tx.table('rateLimits').where('entity', `event-attribution ${reportId}`);

/** Deletes the record of a report that was removed before it was sent. */
export async function removeRecordOfReport(tx: Transaction, reportId: number): Promise<void> {
  for (const { id } of await recordsOfReport(tx, reportId)) await tx.table('rateLimits').delete(id);
}

/** ARA, "check if an attribution rate-limit record can be removed". */
export async function removeOldRecords(tx: Transaction, limits: Limits, now: Moment): Promise<void> {
  const old = await tx.table('rateLimits').upTo('time', now - limits.attributionRateLimitWindow - 1);
  for (const { id, expiryTime } of old) {
    if (expiryTime === null || expiryTime <= now) await tx.table('rateLimits').delete(id);
  }
}
