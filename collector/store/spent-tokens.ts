import { createHash } from 'node:crypto';
import type { Queries } from './database';
import type { ReceivedReport, SpentToken } from './reports';

/** Another report has spent the token. */
export class TokenSpent extends Error {}

type Spending = Pick<ReceivedReport, 'kind' | 'reportId' | 'body'> & { readonly token: SpentToken };

const spends = (report: ReceivedReport): report is ReceivedReport & Spending => report.token !== undefined;

/** The report that spends a token. The same report may be sent again; an aggregatable one is then sealed anew, so its id counts. */
const useOf = ({ kind, reportId, body }: Spending): string =>
  createHash('sha256')
    .update(`${kind} ${kind === 'verbose-debug' ? body : reportId}`)
    .digest('base64url')
    .slice(0, 22);

/**
 * Spends the tokens of reports.
 * @returns the reports whose token another one has spent.
 */
export async function spendTokens(
  queries: Queries,
  reports: readonly ReceivedReport[],
): Promise<ReadonlySet<ReceivedReport>> {
  const spending = reports.filter(spends);
  if (spending.length === 0) return new Set();
  // A common order avoids deadlocks between collectors.
  const rows = spending
    .map((report) => [report.token.keyId, report.token.nonce, useOf(report)] as const)
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const keys = [rows.map(([keyId]) => keyId), rows.map(([, nonce]) => nonce)];
  const added = await queries.query(
    `INSERT INTO spent_tokens (key_id, nonce, used_for)
     SELECT * FROM unnest($1::TEXT[], $2::TEXT[], $3::TEXT[]) ON CONFLICT DO NOTHING RETURNING nonce`,
    [...keys, rows.map(([, , use]) => use)],
    'spend-tokens',
  );
  if (added.length === rows.length) return new Set();
  const known = await queries.query<{ key_id: string; nonce: string; used_for: string }>(
    `SELECT key_id, nonce, used_for FROM spent_tokens
     WHERE (key_id, nonce) IN (SELECT * FROM unnest($1::TEXT[], $2::TEXT[]))`,
    keys,
  );
  const uses = new Map(known.map((row) => [keyOf([row.key_id, row.nonce]), row.used_for]));
  return new Set(
    spending.filter((report) => uses.get(keyOf([report.token.keyId, report.token.nonce])) !== useOf(report)),
  );
}

const keyOf = ([keyId, nonce]: readonly [string, string, ...unknown[]]): string => `${keyId} ${nonce}`;

/**
 * A trial can spend tens of millions of tokens, more than one statement has time for. PostgreSQL has at most 291 rows in a block of 8 KiB, so
 * these have fewer than 100,000.
 */
const BLOCKS_AT_ONCE = 340;

/**
 * Reads the table once, block by block. A statement that looks for the next tokens of the keys could read all rows each time: which plan
 * PostgreSQL chooses depends on its statistics. Without tokens of these keys, it reads none.
 */
export async function forgetTokens(queries: Queries, keyIds: readonly string[]): Promise<void> {
  const ended: string[] = [];
  for (const keyId of keyIds) if (await hasTokens(queries, keyId)) ended.push(keyId);
  if (ended.length === 0) return;
  // A block that is added later has no tokens of these keys, which are refused.
  const [table] = await queries.query<{ blocks: number }>(
    "SELECT (pg_relation_size('spent_tokens') / current_setting('block_size')::INTEGER)::INTEGER AS blocks",
  );
  for (let block = 0; block < (table?.blocks ?? 0); block += BLOCKS_AT_ONCE)
    await queries.query(
      'DELETE FROM spent_tokens WHERE ctid >= $1::TID AND ctid < $2::TID AND key_id = ANY($3::TEXT[])',
      [`(${block},0)`, `(${block + BLOCKS_AT_ONCE},0)`, ended],
    );
}

/** PostgreSQL finds a minimum with the index, whatever its statistics. */
async function hasTokens(queries: Queries, keyId: string): Promise<boolean> {
  const [found] = await queries.query<{ first: string | null }>(
    'SELECT min(nonce) AS first FROM spent_tokens WHERE key_id = $1',
    [keyId],
  );
  return (found?.first ?? null) !== null;
}

/** The spent tokens of a folder, whose reports are accepted before the database has them. It takes some 150 bytes for each. */
export class SpentTokens {
  /** By key: what spent each nonce. */
  readonly #uses = new Map<string, Map<string, string>>();

  async load(queries: Queries): Promise<void> {
    const rows = await queries.query<{ nonce: string; key_id: string; used_for: string }>(
      'SELECT nonce, key_id, used_for FROM spent_tokens',
    );
    for (const { nonce, key_id: keyId, used_for: use } of rows) this.usesOf(keyId).set(nonce, use);
  }

  forget(keyIds: readonly string[]): void {
    for (const keyId of keyIds) this.#uses.delete(keyId);
  }

  /** @throws TokenSpent when another report has spent the report's token */
  spend(report: ReceivedReport): void {
    if (!spends(report)) return;
    const use = useOf(report);
    const uses = this.usesOf(report.token.keyId);
    const known = uses.get(report.token.nonce) ?? use;
    if (known !== use) throw new TokenSpent();
    uses.set(report.token.nonce, use);
  }

  private usesOf(keyId: string): Map<string, string> {
    const uses = this.#uses.get(keyId) ?? new Map<string, string>();
    this.#uses.set(keyId, uses);
    return uses;
  }
}
