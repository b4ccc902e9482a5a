import { withdrawClaims } from '../limits/destination-claims';
import type { InternalId, Source } from '../model/records';
import type { Moment, Origin } from '../model/units';
import type { CandidateUse } from '../model/uses';
import { pendingReports, requirePendingReports, withdrawReport } from '../reports/pending';
import type { Draft, Need } from '../store/draft';
import { candidateKeysOf } from '../store/rows';
import type { Work } from '../work';

/** Stores a new source, and counts it. @param keys its candidate keys */
export function addSource(draft: Draft, source: Source, keys = candidateKeysOf(source)): void {
  draft.require(() => countsOf(source));
  draft.put('sources', source);
  const id = source.sourceOrigin;
  draft.put('originUse', { id, sources: (draft.get('originUse', id)?.sources ?? 0) + 1 });
  const scopes = source.attributionScopes;
  for (const key of keys) {
    const use = candidatesOf(draft, key);
    if (scopes === null) draft.put('candidateUse', { ...use, plain: use.plain + 1 });
    else
      draft.put('candidateUse', {
        ...use,
        scoped: use.scoped + 1,
        maxEventStates: scopes.maxEventStates,
        leastLimit: Math.min(use.leastLimit, scopes.limit),
        scopes: [...new Set([...use.scopes, ...scopes.values])],
      });
  }
}

/** Deletes those sources that are there, and counts them no more. Their reports stay. */
export function deleteSources(draft: Draft, ids: readonly InternalId[]): void {
  const gone = ids.flatMap((id) => draft.get('sources', id) ?? []);
  draft.require(() => gone.flatMap(countsOf));
  const byOrigin = new Map<Origin, number>();
  const byKey = new Map<string, { plain: number; scoped: number }>();
  for (const source of gone) {
    draft.delete('sources', source.id);
    byOrigin.set(source.sourceOrigin, (byOrigin.get(source.sourceOrigin) ?? 0) + 1);
    for (const key of candidateKeysOf(source)) {
      const counts = byKey.get(key) ?? { plain: 0, scoped: 0 };
      counts[source.attributionScopes === null ? 'plain' : 'scoped'] += 1;
      byKey.set(key, counts);
    }
  }
  for (const [id, count] of byOrigin) {
    const sources = (draft.get('originUse', id)?.sources ?? 0) - count;
    if (sources > 0) draft.put('originUse', { id, sources });
    else draft.delete('originUse', id);
  }
  for (const [key, { plain, scoped }] of byKey) {
    const use = candidatesOf(draft, key);
    putCandidates(draft, { ...use, plain: use.plain - plain, scoped: use.scoped - scoped });
  }
}

/**
 * Attributes no further conversion to these sources (ARA, "trigger attribution", deletes them). Deleting them would make room, or free scopes and
 * destinations, and so reveal that there was a conversion. So sources with private limits count until they expire.
 */
export function forgetSources({ draft }: Work, sources: readonly Source[]): void {
  const gone: InternalId[] = [];
  for (const source of sources)
    if (source.countsWhenSent) draft.put('sources', { ...source, forgotten: true });
    else gone.push(source.id);
  deleteSources(draft, gone);
}

/** The documents that count sources like this one. */
export const countsOf = (source: Source): readonly Need[] => [
  { of: 'originUse', id: source.sourceOrigin },
  ...candidateKeysOf(source).map((id): Need => ({ of: 'candidateUse', id })),
];

const NO_CANDIDATES = { plain: 0, scoped: 0, maxEventStates: 0, leastLimit: Infinity, scopes: [] } as const;

const candidatesOf = (draft: Draft, id: string): CandidateUse =>
  draft.get('candidateUse', id) ?? { id, ...NO_CANDIDATES };

function putCandidates(draft: Draft, use: CandidateUse): void {
  if (use.plain <= 0 && use.scoped <= 0) draft.delete('candidateUse', use.id);
  else draft.put('candidateUse', use);
}

/** ARA, "delete sources for unexpired destination limit". Also deletes reports of later conversions: all fake, they would reveal noise. */
export function deleteSourcesForDestinationLimit(
  work: Work,
  source: Source,
  ids: ReadonlySet<InternalId>,
): void {
  if (ids.size === 0) return;
  requireRemoval(work.draft, [...ids]);
  withdrawClaims(work, source, ids, source.time);
  for (const id of ids) removeSource(work, id, source.time, 'all reports');
}

/** ARA, "remove or update sources for attribution scopes". */
export function removeSourcesForScopes(work: Work, pending: Source, keys: readonly string[]): void {
  const { draft } = work;
  const scopes = pending.attributionScopes;
  for (const key of keys) {
    const use = candidatesOf(draft, key);
    if (scopes === null) {
      if (use.scoped > 0) clearScopes(draft, key, pending.time);
      continue;
    }
    const isAlike = use.plain === 0 && use.leastLimit >= scopes.limit;
    if (isAlike && (use.scoped === 0 || use.maxEventStates === scopes.maxEventStates)) continue;
    const others = unexpiredWith(draft, key, pending.time).filter(
      ({ attributionScopes: theirs }) =>
        theirs?.maxEventStates !== scopes.maxEventStates || theirs.limit < scopes.limit,
    );
    removeAll(work, others, pending.time);
    recount(draft, key, pending.time);
  }
  if (scopes === null) return;
  for (const key of keys) {
    const all = new Set([...candidatesOf(draft, key).scopes, ...scopes.values]);
    if (all.size > scopes.limit) removeUnselectedScopes(work, pending, key);
  }
}

function clearScopes(draft: Draft, key: string, now: Moment): void {
  const scoped = unexpiredWith(draft, key, now).filter(({ attributionScopes }) => attributionScopes !== null);
  draft.require(() => scoped.flatMap(countsOf));
  for (const source of scoped) {
    // On all its destinations.
    deleteSources(draft, [source.id]);
    addSource(draft, { ...source, attributionScopes: null });
  }
}

/** ARA, "remove sources with unselected attribution scopes for destination": keeps the newest scopes, up to the limit. */
function removeUnselectedScopes(work: Work, pending: Source, key: string): void {
  const { draft } = work;
  const scopes = pending.attributionScopes;
  if (scopes === null) return;
  const newest = new Map<string, Moment>();
  for (const { attributionScopes, time } of unexpiredWith(draft, key, pending.time))
    for (const scope of attributionScopes?.values ?? [])
      if (time > (newest.get(scope) ?? -Infinity)) newest.set(scope, time);
  const selected = new Set(scopes.values);
  const others = [...newest].sort(([a, one], [b, other]) => other - one || (a > b ? -1 : a < b ? 1 : 0));
  const unselected = new Set<string>();
  for (const [scope] of others) {
    if (selected.size < scopes.limit) selected.add(scope);
    if (!selected.has(scope)) unselected.add(scope);
  }
  const outdone = unexpiredWith(draft, key, pending.time).filter(
    ({ attributionScopes }) => attributionScopes?.values.some((scope) => unselected.has(scope)) === true,
  );
  removeAll(work, outdone, pending.time);
  recount(draft, key, pending.time);
}

/** Notes the scopes that are left after some sources were removed. @param now sources that expired before do not count */
export function recount(draft: Draft, key: string, now: Moment): void {
  const use = draft.get('candidateUse', key);
  if (use === undefined) return;
  const left = unexpiredWith(draft, key, now).flatMap(({ attributionScopes }) => attributionScopes ?? []);
  const leastLimit = left.reduce((least, { limit }) => Math.min(least, limit), Infinity);
  const [first] = left;
  const maxEventStates = first?.maxEventStates ?? 0;
  const scopes = [...new Set(left.flatMap(({ values }) => values))];
  draft.put('candidateUse', { ...use, maxEventStates, leastLimit, scopes });
}

/** By id: the sources with a candidate key that have not expired. */
const unexpiredWith = (draft: Draft, key: string, now: Moment): readonly Source[] =>
  draft
    .candidates(key)
    .filter(({ expiryTime }) => expiryTime >= now)
    .sort((a, b) => a.id - b.id);

function removeAll(work: Work, sources: readonly Source[], minTriggerTime: Moment): void {
  const ids = sources.map(({ id }) => id);
  requireRemoval(work.draft, ids);
  for (const id of ids) removeSource(work, id, minTriggerTime);
}

/** Loads what the removal of some sources looks at, all at once rather than one source after the other. */
function requireRemoval(draft: Draft, ids: readonly InternalId[]): void {
  draft.require(() => ids.map((id): Need => ({ of: 'sources', id })));
  draft.require(() =>
    ids.flatMap((id) => {
      const source = draft.get('sources', id);
      return source === undefined ? [] : countsOf(source);
    }),
  );
  requirePendingReports(draft, ids);
}

/**
 * Removes a source and its reports of conversions at or after `minTriggerTime`.
 * @param which also its aggregatable reports, whenever they were made: only true ones name a source (ARA, "delete sources for unexpired
 * destination limit"). Aggregatable debug reports were under way at once.
 */
function removeSource(
  work: Work,
  id: InternalId,
  minTriggerTime: Moment,
  which: 'event-level reports' | 'all reports' = 'event-level reports',
): void {
  const { draft } = work;
  deleteSources(draft, [id]);
  for (const report of pendingReports(draft, id)) {
    const { event } = report;
    if (event === null ? which === 'all reports' : event.triggerTime >= minTriggerTime)
      withdrawReport(work, report, 'source-removed', minTriggerTime);
  }
}
