import type { Limits } from '../model/limits';
import { between, type Moment } from '../model/units';
import type { Source } from '../model/records';
import type { OriginUse } from '../model/uses';
import type { ReadTransaction, Rows } from './store';

/** Tables whose rows say when nothing depends on them any more; of these, those that people can see. What was spent counts for good. */
const ENDING = ['spends', 'siteUse', 'partyUse', 'pairUse', 'debugUse'] as const;
const VISIBLE = ['spends'] as const;

type Ending = (typeof ENDING)[number];

/** What nothing depends on any more. */
export interface Expired {
  readonly sources: readonly Source[];
  readonly others: readonly { readonly table: Ending; readonly ids: readonly Rows[Ending]['id'][] }[];
}

/** @param which all, or only what people can see. */
export async function expired(tx: ReadTransaction, now: Moment, which: 'all' | 'visible'): Promise<Expired> {
  const [sources, ...others] = await Promise.all([
    tx.table('sources').upTo('expiryTime', now - 1),
    ...(which === 'all' ? ENDING : VISIBLE).map(async (table) => {
      const rows: readonly Rows[Ending][] = await tx.table(table).upTo('end', now);
      return { table, ids: rows.map(({ id }) => id) };
    }),
  ]);
  return { sources, others };
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
