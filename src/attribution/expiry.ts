import type { Limits } from '../model/limits';
import type { InternalId } from '../model/records';
import type { Moment } from '../model/units';
import type { OriginUse } from '../model/uses';
import type { Draft, RangeNeed } from '../store/draft';
import type { Operation } from '../work';
import { deleteSources } from './remove-sources';

/** Tables whose rows are deleted at their `end`. Accounts have an end, too, but the extension deletes them (extension/erasing/end-accounts.ts). */
const ENDING = ['spends', 'siteUse', 'partyUse', 'pairUse', 'debugUse'] as const;

/** `listed`: only expired sources and ended spends, which the pages list. */
type Extent = 'all' | 'listed';

const tablesOf = (extent: Extent): readonly (typeof ENDING)[number][] =>
  extent === 'all' ? ENDING : ['spends'];

/** The rows on which no decision depends any more. */
export const expiredRows = (now: Moment, extent: Extent = 'all'): readonly RangeNeed[] => [
  { of: 'sources', index: 'expiryTime', upTo: now - 1 },
  ...tablesOf(extent).map((of): RangeNeed => ({ of, index: 'end', upTo: now })),
];

/** Deletes expired sources, and what no limit and no budget counts any more. */
export const expiry = (now: Moment): Operation<void> => ({
  needs: () => expiredRows(now),
  decide: (draft) => deleteExpired(draft, now, 'all'),
});

/** Deletes the rows of `expiredRows`. */
export function deleteExpired(draft: Draft, now: Moment, extent: Extent): void {
  draft.require(() => expiredRows(now, extent));
  const sources = draft.upTo('sources', 'expiryTime', now - 1);
  const ids = sources.map(({ id }) => id);
  if (ids.length > 0) deleteSources(draft, ids);
  for (const table of tablesOf(extent))
    for (const { id } of draft.upTo(table, 'end', now))
      // It is the id of a row of that table; TypeScript cannot say so.
      draft.delete(table as 'spends', id as InternalId);
}

/** In ms: the time between two deletions of expired rows while sources are registered. */
const SWEEP_PAUSE = 60_000;

/**
 * Whether expired rows must be deleted before a source is registered. Only the limit on the sources of an origin counts expired ones; all other
 * decisions look at expiry themselves.
 * @param swept when expired rows were last deleted, if they were. It lies ahead if the clock was ahead then.
 */
export const isSweepDue = (
  swept: Moment | undefined,
  now: Moment,
  ofOrigin: OriginUse | undefined,
  { maxSourcesPerOrigin }: Limits,
): boolean =>
  swept === undefined ||
  Math.abs(now - swept) >= SWEEP_PAUSE ||
  (ofOrigin?.sources ?? 0) >= maxSourcesPerOrigin;
