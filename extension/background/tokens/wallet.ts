import type { InternalId } from '../../../src/model/records';
import type { Moment } from '../../../src/model/units';
import type { BlindToken } from './blind-batch';

/** The token of a report. */
interface Bound {
  /** The value of the header `Authorization`; null: it is to get another. */
  readonly token: string | null;
  /** Whether the collector has refused one before. */
  readonly isReplaced: boolean;
}

/** The tokens of one period. */
export interface Batch {
  /** The key that signed them. */
  readonly key: string;
  readonly from: Moment;
  readonly until: Moment;
  /** When the first may be spent: not so soon after they were fetched that the time would link both. */
  readonly usableFrom: Moment;
  /** Values of the header `Authorization`. */
  readonly free: readonly string[];
  /**
   * By the report that spends it: if the answer is lost, it is sent again with the same token. A report that was erased after a try keeps its
   * token, too: the collector may have seen both, and would recognize the token on another report; and the erasure can be undone.
   */
  readonly bound: Readonly<Record<InternalId, Bound>>;
}

/** The tokens of one participation. */
export interface Wallet {
  readonly trialId: string;
  /** The public key that the trial is signed with; null: it is not signed. */
  readonly signer: string | null;
  readonly collector: string;
  /** The secret by which the collector knows the device when it asks for tokens. No report has it. */
  readonly member: string;
  /** Sent along each time: all requests look alike, and a collector whose store was restored from before it knew the member learns of it again. */
  readonly invitation: string;
  /** Asked for, perhaps without an answer: asked for again, it must be the same. */
  readonly pending: { readonly key: string; readonly blind: readonly BlindToken[] } | null;
  readonly batches: readonly Batch[];
  /** When the next period's tokens are fetched: at random, so that no report says when. */
  readonly renewAt: Moment;
  /** Until then, nothing is asked for: the collector may be down. */
  readonly retryAt: Moment;
}

/** For clocks that are wrong: as long as a collector accepts tokens of the period before. */
const GRACE = 24 * 3_600_000;

/** Without the tokens that nobody accepts any more, if the clock is right. */
const withoutOld = (batches: readonly Batch[], now: Moment): readonly Batch[] =>
  batches.filter(({ until }) => now < until + GRACE);

/**
 * Without the tokens that nobody accepts any more. The clock may be wrong for a while, and no batch is given out twice; but the collector signs
 * for the next period at most, so one of the period after that shows that a period is over.
 */
export const withoutOver = (batches: readonly Batch[], now: Moment): readonly Batch[] =>
  batches.filter(({ until }) => now < until + GRACE || !batches.some(({ from }) => from > until));

/** A report's token. If it has none yet, it gets one of this period; null without one. */
export function bindToken(
  batches: readonly Batch[],
  report: InternalId,
  now: Moment,
): { readonly token: string; readonly batches: readonly Batch[] } | null {
  const known = withoutOld(batches, now).flatMap(({ bound }) => bound[report] ?? []);
  for (const { token } of known) if (token !== null) return { token, batches };
  const batch = batches.find(
    ({ from, until, usableFrom, free }) =>
      Math.max(from, usableFrom) <= now && now < until && free.length > 0,
  );
  const token = batch?.free[0];
  if (batch === undefined || token === undefined) return null;
  const bound = { token, isReplaced: known.length > 0 };
  const spent = { ...batch, free: batch.free.slice(1), bound: { ...batch.bound, [report]: bound } };
  return { token, batches: batches.map((one) => (one === batch ? spent : one)) };
}

/** Whether a report has a token, or is to get another. */
export const isBound = (batches: readonly Batch[], report: InternalId): boolean =>
  batches.some(({ bound }) => report in bound);

/** After the collector has taken the report. */
export const withoutReport = (batches: readonly Batch[], report: InternalId): readonly Batch[] =>
  batches.map((batch) => ({
    ...batch,
    bound: Object.fromEntries(Object.entries(batch.bound).filter(([id]) => Number(id) !== report)),
  }));

/**
 * After the collector has refused a report's token. The report gets another, once: a collector with wrong keys must not use up all tokens.
 * No other report gets the one that was refused: the collector would recognize it.
 */
export const withoutRefused = (batches: readonly Batch[], report: InternalId): readonly Batch[] =>
  batches.map((batch) =>
    batch.bound[report]?.isReplaced === false
      ? { ...batch, bound: { ...batch.bound, [report]: { token: null, isReplaced: true } } }
      : batch,
  );
