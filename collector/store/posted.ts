import type { Queries } from './database';

/** Posted by the operator for the dashboard: a summary report, a histogram of W3C Attribution, or reach. */
export type PostedKind = 'summary' | 'histogram' | 'reach';

export interface Posted {
  readonly receivedTime: Date;
  readonly content: string;
}

/** Only the newest of each kind is kept. */
export async function insertPosted(queries: Queries, kind: PostedKind, content: string): Promise<void> {
  await queries.query(
    `INSERT INTO posted (kind, received_time, content) VALUES ($1, clock_timestamp(), $2)
     ON CONFLICT (kind) DO UPDATE SET received_time = EXCLUDED.received_time, content = EXCLUDED.content`,
    [kind, content],
  );
}

export async function selectPosted(queries: Queries, kind: PostedKind): Promise<Posted | null> {
  const [row] = await queries.query<{ received_time: Date; content: string }>(
    'SELECT received_time, content FROM posted WHERE kind = $1',
    [kind],
  );
  return row === undefined ? null : { receivedTime: row.received_time, content: row.content };
}

export async function selectNewestPosted(queries: Queries): Promise<number> {
  const [row] = await queries.query<{ newest: Date | null }>(
    'SELECT max(received_time) AS newest FROM posted',
  );
  return row?.newest?.getTime() ?? 0;
}
