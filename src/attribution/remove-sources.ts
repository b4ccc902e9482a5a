import type { InternalId, RateLimitRecord, Source } from '../model/records';
import type { Moment } from '../model/units';
import { withdrawReport } from '../reports/remove';
import {
  candidateKey,
  groupOf,
  ordered,
  scopeOf,
  under,
  type ReadTransaction,
  type Transaction,
} from '../store/store';

/** ARA, "delete expired sources"; also forgets spends and destinations on which no decision depends any more. */
export async function deleteExpiredSources(tx: Transaction, now: Moment): Promise<void> {
  const { sources, spends, records } = await expired(tx, now);
  for (const { id } of sources) tx.table('sources').delete(id);
  for (const { id } of spends) tx.table('spends').delete(id);
  // So that the search for destinations meets unexpired ones only.
  for (const record of records) deactivate(tx, record);
}

/** Whether `deleteExpiredSources` would do anything. */
export async function hasExpired(tx: ReadTransaction, now: Moment): Promise<boolean> {
  return Object.values(await expired(tx, now)).some(({ length }) => length > 0);
}

async function expired(tx: ReadTransaction, now: Moment) {
  const [sources, spends, records] = await Promise.all([
    tx.table('sources').upTo('expiryTime', now - 1),
    tx.table('spends').upTo('end', now),
    tx.table('rateLimits').upTo('expiryTime', now),
  ]);
  return { sources, spends, records };
}

const deactivate = (tx: Transaction, record: RateLimitRecord): void =>
  tx.table('rateLimits').put({ ...record, deactivatedForDestinationLimit: true });

/** ARA, "delete sources for unexpired destination limit". Also deletes reports of later conversions: all fake, they would reveal noise. */
export async function deleteSourcesForDestinationLimit(
  tx: Transaction,
  sourceIds: ReadonlySet<InternalId>,
  now: Moment,
): Promise<void> {
  for (const id of sourceIds) {
    await removeSource(tx, id, now);
    await removeAggregatableReports(tx, id, now);
    for (const record of await tx.table('rateLimits').where('entity', `source ${id}`)) deactivate(tx, record);
  }
}

/** ARA, "remove or update sources for attribution scopes". */
export async function removeSourcesForScopes(tx: Transaction, pending: Source): Promise<void> {
  const scopes = pending.attributionScopes;
  for (const destination of pending.registration.destinations) {
    const candidate = candidateKey(pending.reportingOrigin, destination);
    const all = under(candidate);
    if (scopes === null) {
      const above = `${all.above}${ordered(1)}`;
      for (const source of await tx.table('sources').where('scopeLimits', { ...all, above }))
        tx.table('sources').put({ ...source, attributionScopes: null });
      continue;
    }
    // All but those with the same number of event states and at least the limit.
    const same = under(candidate, ordered(scopes.maxEventStates));
    for (const range of [
      { ...all, below: `${same.above}${ordered(scopes.limit)}` },
      { ...all, above: same.below },
    ])
      for (const { id } of await tx.table('sources').where('scopeLimits', range))
        await removeSource(tx, id, pending.time);
  }
  for (const destination of pending.registration.destinations)
    await removeUnselectedScopes(tx, pending, candidateKey(pending.reportingOrigin, destination));
}

/** ARA, "remove sources with unselected attribution scopes for destination": keeps the newest scopes, up to the limit. */
async function removeUnselectedScopes(tx: Transaction, pending: Source, candidate: string): Promise<void> {
  const scopes = pending.attributionScopes;
  if (scopes === null) return;
  const newest = (await tx.table('sources').lastOfEach('scope', under(candidate)))
    .map(({ key, row }) => ({ key, scope: scopeOf(key, candidate), time: row.time }))
    .sort((a, b) => b.time - a.time || (a.scope > b.scope ? -1 : a.scope < b.scope ? 1 : 0));
  const selected = new Set(scopes.values);
  for (const { key, scope } of newest) {
    if (selected.size < scopes.limit) selected.add(scope);
    if (selected.has(scope)) continue;
    const ofScope = under(groupOf(key).slice(0, -1));
    for (const { id } of await tx.table('sources').where('scope', ofScope))
      await removeSource(tx, id, pending.time);
  }
}

/** Removes a source and its reports of conversions at or after `minTriggerTime`. */
async function removeSource(tx: Transaction, id: InternalId, minTriggerTime: Moment): Promise<void> {
  tx.table('sources').delete(id);
  for (const report of await tx.table('reports').where('sourceId', id)) {
    if (report.event !== null && report.event.triggerTime >= minTriggerTime) {
      await withdrawReport(tx, report, 'source-removed', minTriggerTime);
    }
  }
}

/**
 * All of them: only true ones name a source, whenever they were made (ARA, "delete sources for unexpired destination limit"). Aggregatable
 * debug reports were under way at once.
 */
async function removeAggregatableReports(tx: Transaction, sourceId: InternalId, now: Moment): Promise<void> {
  for (const report of await tx.table('reports').where('aggregatableSource', sourceId))
    if (report.kind !== 'aggregate-debug') await withdrawReport(tx, report, 'source-removed', now);
}
