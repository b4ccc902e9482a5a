import type { InternalId, Source } from '../model/records';
import { days, type Moment } from '../model/units';
import { withdrawReport } from '../reports/remove';
import { candidateKey, type ReadTransaction, type Transaction } from '../store/store';

/** A year, the longest period of a budget, plus the 30 days in which a source of that period can still be attributed. */
const SPENDS_KEPT = days(365 + 30);

/** ARA, "delete expired sources"; also deletes spends that no decision depends on any more. */
export async function deleteExpiredSources(tx: Transaction, now: Moment): Promise<void> {
  for (const { id } of await tx.table('sources').upTo('expiryTime', now - 1))
    await tx.table('sources').delete(id);
  for (const { id } of await tx.table('spends').upTo('time', now - SPENDS_KEPT))
    await tx.table('spends').delete(id);
}

/** ARA, "delete sources for unexpired destination limit". Also deletes reports of later conversions: all fake, they would reveal noise. */
export async function deleteSourcesForDestinationLimit(
  tx: Transaction,
  sourceIds: ReadonlySet<InternalId>,
  now: Moment,
): Promise<void> {
  for (const id of sourceIds) {
    await removeSource(tx, id, now);
    for (const record of await tx.table('rateLimits').where('entity', `source ${id}`)) {
      await tx.table('rateLimits').put({ ...record, deactivatedForDestinationLimit: true });
    }
  }
}

/** ARA, "remove or update sources for attribution scopes". */
export async function removeSourcesForScopes(tx: Transaction, pending: Source): Promise<void> {
  const scopes = pending.attributionScopes;
  for (const source of await sourcesInCommon(tx, pending)) {
    const existing = source.attributionScopes;
    if (scopes === null) {
      if (existing !== null) await tx.table('sources').put({ ...source, attributionScopes: null });
    } else if (existing?.maxEventStates !== scopes.maxEventStates || existing.limit < scopes.limit) {
      await removeSource(tx, source.id, pending.time);
    }
  }
  for (const destination of pending.registration.destinations) {
    await removeUnselectedScopes(tx, pending, destination);
  }
}

/** ARA, "find sources with common destinations and reporting origin". */
async function sourcesInCommon(tx: ReadTransaction, pending: Source): Promise<Source[]> {
  const found = new Map<InternalId, Source>();
  for (const destination of pending.registration.destinations) {
    for (const source of await sourcesFor(tx, pending, destination)) found.set(source.id, source);
  }
  return [...found.values()];
}

const sourcesFor = (
  tx: ReadTransaction,
  { reportingOrigin }: Source,
  destination: string,
): Promise<Source[]> => tx.table('sources').where('candidate', candidateKey(reportingOrigin, destination));

/** ARA, "remove sources with unselected attribution scopes for destination": keeps the newest scopes, up to the limit. */
async function removeUnselectedScopes(tx: Transaction, pending: Source, destination: string): Promise<void> {
  const scopes = pending.attributionScopes;
  if (scopes === null) return;
  const records = (await sourcesFor(tx, pending, destination))
    .flatMap((source) => (source.attributionScopes?.values ?? []).map((scope) => ({ scope, source })))
    .sort((a, b) => b.source.time - a.source.time || (a.scope > b.scope ? -1 : a.scope < b.scope ? 1 : 0));
  const selected = new Set(scopes.values);
  const unselected = new Set<InternalId>();
  for (const { scope, source } of records) {
    if (selected.size < scopes.limit) selected.add(scope);
    else if (!selected.has(scope)) unselected.add(source.id);
  }
  for (const id of unselected) await removeSource(tx, id, pending.time);
}

/** Removes a source and its reports of conversions at or after `minTriggerTime`. */
async function removeSource(tx: Transaction, id: InternalId, minTriggerTime: Moment): Promise<void> {
  await tx.table('sources').delete(id);
  for (const report of await tx.table('reports').where('sourceId', id)) {
    if (report.event !== null && report.event.triggerTime >= minTriggerTime) {
      await withdrawReport(tx, report, 'source-removed', minTriggerTime);
    }
  }
}
