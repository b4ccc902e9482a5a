import type { Limits } from '../model/limits';
import type { AttributionScope, RateLimitRecord, Report, Source } from '../model/records';
import { between, type Moment, type Origin, type Site } from '../model/units';
import type { Work } from '../work';
import { siteOf } from '../parsing/site';
import { ordered, pairKey, under, type ReadTransaction, type Transaction } from '../store/store';

/** A record without its id. */
export type NewRecord = Omit<RateLimitRecord, 'id'>;

/** A record of an attribution. */
export type NewAttribution<Scope extends AttributionScope> = NewRecord & { readonly scope: Scope };

const perPair = {
  'event-attribution': 'trigger-event-attributions-per-source-destination-limit',
  'aggregatable-attribution': 'trigger-aggregate-attributions-per-source-destination-limit',
} as const satisfies Record<AttributionScope, string>;

const attributionScopes = Object.keys(perPair) as readonly AttributionScope[];

export interface ReachedLimit<Scope extends AttributionScope> {
  readonly reason: (typeof perPair)[Scope] | 'trigger-reporting-origin-limit';
  readonly limit: number;
}

/** ARA, "check if attribution should be blocked by rate limits"; null: it is not. */
export async function checkAttributionLimits<Scope extends AttributionScope>(
  work: Work,
  record: NewAttribution<Scope>,
  triggerTime: Moment,
): Promise<ReachedLimit<Scope> | null> {
  const { limits, trace } = work;
  const origins = await recentOrigins(work, record, triggerTime);
  const attributions = await attributionsOf(work, record, origins, triggerTime);
  if (!trace.within('attributions-per-pair', attributions + 1, limits.maxAttributions)) {
    return { reason: perPair[record.scope], limit: limits.maxAttributions };
  }
  if (!trace.within('attributing-origins', origins.length, limits.maxAttributionReportingOrigins)) {
    return { reason: 'trigger-reporting-origin-limit', limit: limits.maxAttributionReportingOrigins };
  }
  return null;
}

/**
 * The reporting origins with records of the scope (attributions of either scope count together), source site and destination of a new one, and its own. Times are the sources';
 * the window ends at the trigger, as in Chromium.
 */
export async function recentOrigins(
  { tx, limits }: Work,
  record: NewRecord,
  now: Moment,
): Promise<readonly Origin[]> {
  const scopes = record.scope === 'source' ? [record.scope] : attributionScopes;
  const newest = await Promise.all(
    scopes.map((scope) => tx.table('rateLimits').lastOfEach('pair', under(pairKey({ ...record, scope })))),
  );
  const recent = newest
    .flat()
    .filter(({ row }) => between(row.time, now) < limits.attributionRateLimitWindow);
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
    const all = under(pairKey(record), origin);
    const begin = now - limits.attributionRateLimitWindow;
    const recent = begin < 0 ? all : { ...all, above: `${all.above}${ordered(begin)}` };
    count += await tx.table('rateLimits').countWhere('pair', recent);
  }
  return count;
}

export function attributionRecord<Scope extends AttributionScope>(
  scope: Scope,
  source: Source,
  destination: Site,
  report: Report,
): NewAttribution<Scope> {
  return {
    scope,
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

export function addRecord(tx: Transaction, record: NewRecord): void {
  tx.table('rateLimits').put({ id: tx.nextId(), ...record });
}

/** At most one: a report has an id of its own, whatever its kind. */
export async function recordsOfReport(tx: ReadTransaction, reportId: number): Promise<RateLimitRecord[]> {
  const records = tx.table('rateLimits');
  const found = attributionScopes.map((scope) => records.where('entity', `${scope} ${reportId}`));
  return (await Promise.all(found)).flat();
}

/** Deletes the record of a report that was removed before it was sent. */
export async function removeRecordOfReport(tx: Transaction, reportId: number): Promise<void> {
  for (const { id } of await recordsOfReport(tx, reportId)) tx.table('rateLimits').delete(id);
}

/** ARA, "check if an attribution rate-limit record can be removed". */
export async function removeOldRecords(tx: Transaction, limits: Limits, now: Moment): Promise<void> {
  const old = await tx.table('rateLimits').upTo('time', now - limits.attributionRateLimitWindow - 1);
  for (const { id, expiryTime } of old) {
    if (expiryTime === null || expiryTime <= now) tx.table('rateLimits').delete(id);
  }
}
