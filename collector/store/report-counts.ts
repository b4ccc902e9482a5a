import type { ReportKind } from '../../src/model/records';
import type { Queries, Transaction } from './database';
import type { Outcome } from './reports';

/** The number of reports of a kind, by outcome. */
export interface CountedReport {
  readonly kind: ReportKind;
  readonly outcome: Outcome | 'refused';
}

export interface Counts {
  readonly received: number;
  /** Sent again with the same content. */
  readonly duplicates: number;
  /** Sent again with different content. */
  readonly conflicting: number;
  readonly refused: number;
}

/**
 * Adds to one collector's counts when the transaction commits. Each collector has its own rows, so that collectors never block each other.
 * @param collector a UUID.
 */
export function addCounts(
  transaction: Transaction,
  collector: string,
  counted: readonly CountedReport[],
): void {
  const counts = new Map<string, CountedReport & { readonly reports: number }>();
  for (const one of counted) {
    const key = `${one.kind} ${one.outcome}`;
    counts.set(key, { ...one, reports: (counts.get(key)?.reports ?? 0) + 1 });
  }
  // All values are constants of ours, so they need no escaping. Without parameters the statement can be sent together with COMMIT.
  const rows = [...counts.values()].map(
    ({ kind, outcome, reports }) => `('${collector}', '${kind}', '${outcome}', ${reports})`,
  );
  transaction.withCommit(
    `INSERT INTO report_counts (collector, kind, outcome, reports) VALUES ${rows.join(', ')}
     ON CONFLICT (collector, kind, outcome) DO UPDATE SET reports = report_counts.reports + EXCLUDED.reports`,
  );
}

/** The sum over all collectors of this store. */
export async function selectCounts(queries: Queries): Promise<Counts> {
  const rows = await queries.query<{ outcome: CountedReport['outcome']; reports: number }>(
    'SELECT outcome, sum(reports)::BIGINT AS reports FROM report_counts GROUP BY outcome',
  );
  const count = (outcome: CountedReport['outcome']): number =>
    rows.find((row) => row.outcome === outcome)?.reports ?? 0;
  return {
    received: count('stored'),
    duplicates: count('duplicate'),
    conflicting: count('conflicting'),
    refused: count('refused'),
  };
}
