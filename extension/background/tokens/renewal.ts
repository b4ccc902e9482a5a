import { toBase64Url } from '../../../formats/codec/base64-url';
import { periodAt } from '../../../formats/settings/parse-tokens';
import type { TokenPeriod, Trial, TrialTokens } from '../../../formats/settings/trial';
import { MEMBER_BYTES } from '../../../formats/tokens/issuance';
import { originOfUrl } from '../../../src/model/origin';
import { moment, type Moment } from '../../../src/model/units';
import type { Wallet } from './wallet';

/** A wallet without tokens, for a participation that begins. */
export function newWallet(trial: Trial, invitation: string): Wallet {
  return {
    trialId: trial.id,
    collector: collectorOf(trial),
    member: toBase64Url(crypto.getRandomValues(new Uint8Array(MEMBER_BYTES))),
    invitation,
    pending: null,
    batches: [],
    renewAt: moment(0),
    retryAt: moment(0),
  };
}

const collectorOf = ({ settings: { collector } }: Trial): string =>
  (collector === null ? null : originOfUrl(collector)) ?? '';

/** Whether the wallet is for the trial and its collector. */
export const isOf = (wallet: Wallet | null, trial: Trial): wallet is Wallet =>
  wallet !== null && wallet.trialId === trial.id && wallet.collector === collectorOf(trial);

/** The periods whose tokens are to be fetched now. */
export function missing(wallet: Wallet, tokens: TrialTokens, now: Moment): readonly TokenPeriod[] {
  const current = periodAt(tokens, now);
  const next = tokens.periods.find(({ from }) => from > now);
  const wanted = [current, wallet.renewAt <= now ? next : null];
  return wanted.filter(
    (period): period is TokenPeriod =>
      period != null && !wallet.batches.some(({ key }) => key === period.key),
  );
}

/** When there may be something to fetch; Infinity if never. */
export function nextRun(wallet: Wallet, tokens: TrialTokens, now: Moment): number {
  if (missing(wallet, tokens, now).length > 0) return Math.max(now, wallet.retryAt);
  const starts = tokens.periods.map(({ from }) => from);
  return Math.min(...[...starts, wallet.renewAt].filter((time) => time > now));
}

/** `next` after its batch was fetched, with what was spent `since`. */
export function merged(since: Wallet, next: Wallet): Wallet {
  const known = new Map(since.batches.map((batch) => [batch.key, batch]));
  return { ...next, batches: next.batches.map((batch) => known.get(batch.key) ?? batch) };
}
