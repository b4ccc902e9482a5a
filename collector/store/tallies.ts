import type { ReportKind } from '../../src/model/records';
import type { Queries } from './database';
import type { Outcome } from './reports';

/** How many reports of a kind came to which end. */
export interface Tally {
  readonly kind: ReportKind;
  readonly outcome: Outcome | 'refused';
}

export interface Counts {
  readonly received: number;
  /** Sent again, with the same content. */
  readonly duplicates: number;
  /** Sent again with another content. */
  readonly conflicting: number;
  readonly refused: number;
}

/**
 * Adds to the counts of one collector. Each has rows of its own, so that many never wait for one another.
 * @param collector a UUID.
 */
export async function addTallies(
  queries: Queries,
  collector: string,
  tallies: readonly Tally[],
): Promise<void> {
  const counts = new Map<string, Tally & { readonly reports: number }>();
  for (const tally of tallies) {
    const key = `${tally.kind} ${tally.outcome}`;
    counts.set(key, { ...tally, reports: (counts.get(key)?.reports ?? 0) + 1 });
  }
  // All are words of ours. Without parameters the statement takes half the time, and there is one for each batch.
  const rows = [...counts.values()].map(
    ({ kind, outcome, reports }) => `('${collector}', '${kind}', '${outcome}', ${reports})`,
  );
  await queries.query(
    `INSERT INTO tallies (collector, kind, outcome, reports) VALUES ${rows.join(', ')}
     ON CONFLICT (collector, kind, outcome) DO UPDATE SET reports = tallies.reports + EXCLUDED.reports`,
  );
}

/** Of all collectors that ever wrote to the store. */
export async function selectCounts(queries: Queries): Promise<Counts> {
  const rows = await queries.query<{ outcome: Tally['outcome']; reports: number }>(
    'SELECT outcome, sum(reports)::BIGINT AS reports FROM tallies GROUP BY outcome',
  );
  const count = (outcome: Tally['outcome']): number =>
    rows.find((row) => row.outcome === outcome)?.reports ?? 0;
  return {
    received: count('stored'),
    duplicates: count('duplicate'),
    conflicting: count('conflicting'),
    refused: count('refused'),
  };
}
