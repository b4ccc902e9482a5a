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
    .map((report) => [report.token.nonce, report.token.keyId, useOf(report)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const added = await queries.query(
    `INSERT INTO spent_tokens (nonce, key_id, used_for)
     SELECT * FROM unnest($1::TEXT[], $2::TEXT[], $3::TEXT[]) ON CONFLICT DO NOTHING RETURNING nonce`,
    [rows.map(([nonce]) => nonce), rows.map(([, keyId]) => keyId), rows.map(([, , use]) => use)],
    'spend-tokens',
  );
  if (added.length === rows.length) return new Set();
  const known = await queries.query<{ nonce: string; used_for: string }>(
    'SELECT nonce, used_for FROM spent_tokens WHERE nonce = ANY($1::TEXT[])',
    [rows.map(([nonce]) => nonce)],
  );
  const uses = new Map(known.map(({ nonce, used_for: use }) => [nonce, use]));
  return new Set(spending.filter((report) => uses.get(report.token.nonce) !== useOf(report)));
}

/** A trial can spend tens of millions of tokens, more than one statement has time for. */
const READ_AT_ONCE = 100_000;

export async function forgetTokens(queries: Queries, keyIds: readonly string[]): Promise<void> {
  if (keyIds.length === 0) return;
  for (let after = ''; ;) {
    const [read] = await queries.query<{ last: string | null }>(
      `SELECT max(nonce) AS last FROM
         (SELECT nonce FROM spent_tokens WHERE nonce > $1 ORDER BY nonce LIMIT ${READ_AT_ONCE}) AS next`,
      [after],
    );
    const last = read?.last ?? null;
    if (last === null) return;
    await queries.query(
      'DELETE FROM spent_tokens WHERE nonce > $1 AND nonce <= $2 AND key_id = ANY($3::TEXT[])',
      [after, last, keyIds],
    );
    after = last;
  }
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
