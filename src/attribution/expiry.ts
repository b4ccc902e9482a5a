import type { Limits } from '../model/limits';
import type { InternalId } from '../model/records';
import { between, type Moment } from '../model/units';
import type { OriginUse } from '../model/uses';
import type { Draft, RangeNeed } from '../store/draft';
import type { Operation } from '../work';
import { deleteSources } from './remove-sources';

/** Tables whose rows say when nothing depends on them any more. What was spent counts for good. */
const ENDING = ['spends', 'siteUse', 'partyUse', 'pairUse', 'debugUse'] as const;

/** All, or only what people can see. */
type Deletable = 'all' | 'visible';

const tablesOf = (which: Deletable): readonly (typeof ENDING)[number][] =>
  which === 'all' ? ENDING : ['spends'];

/** What nothing depends on any more. */
export const expiredRows = (now: Moment, which: Deletable = 'all'): readonly RangeNeed[] => [
  { of: 'sources', index: 'expiryTime', upTo: now - 1 },
  ...tablesOf(which).map((of): RangeNeed => ({ of, index: 'end', upTo: now })),
];

/** Deletes sources whose expiry has passed, and what no limit and no budget counts any more. */
export const expiry = (now: Moment): Operation<void> => ({
  needs: () => expiredRows(now),
  decide: (draft) => deleteExpired(draft, now, 'all'),
});

/** Deletes what nothing depends on any more. */
export function deleteExpired(draft: Draft, now: Moment, which: Deletable): void {
  draft.require(() => expiredRows(now, which));
  const sources = draft.upTo('sources', 'expiryTime', now - 1);
  const ids = sources.map(({ id }) => id);
  if (ids.length > 0) deleteSources(draft, ids);
  for (const table of tablesOf(which))
    for (const { id } of draft.upTo(table, 'end', now))
      // It is the id of a row of that table; TypeScript cannot say so.
      draft.delete(table as 'spends', id as InternalId);
}

/** In ms: how often expired rows are deleted while sources are registered. */
const SWEEP_PAUSE = 60_000;

/**
 * Whether expired rows must be deleted before a source is registered. Only the limit on the sources of an origin counts expired ones; all other
 * decisions look at expiry themselves.
 * @param swept when expired rows were last deleted.
 */
export const isSweepDue = (
  swept: Moment,
  now: Moment,
  ofOrigin: OriginUse | undefined,
  { maxSourcesPerOrigin }: Limits,
): boolean => between(swept, now) >= SWEEP_PAUSE || (ofOrigin?.sources ?? 0) >= maxSourcesPerOrigin;
