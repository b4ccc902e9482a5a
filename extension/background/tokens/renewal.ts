import { toBase64Url } from '../../../formats/codec/base64-url';
import { periodAt } from '../../../formats/settings/parse-tokens';
import type { TokenPeriod, Trial, TrialTokens } from '../../../formats/settings/trial';
import { MEMBER_BYTES } from '../../../formats/tokens/issuance';
import { originOfUrl } from '../../../src/model/origin';
import { moment, type Moment } from '../../../src/model/units';
import type { Wallet } from './wallet';
import { least } from '../../../numeric/extremes';

/** In ms: at most so long after they were fetched, tokens are not spent yet. */
const SETTLING = 3_600_000;
/** In ms: until tokens that could not be fetched are asked for again. */
const RETRY = 15 * 60_000;

/** A wallet without tokens, for a participation that begins. */
export function newWallet(trial: Trial, invitation: string): Wallet {
  return {
    trialId: trial.id,
    signer: signerOf(trial),
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

const signerOf = ({ signature }: Trial): string | null => signature?.publicKey ?? null;

/** Whether the wallet is for the trial, which is one of its signer, and for its collector. */
export const isOf = (wallet: Wallet | null, trial: Trial): wallet is Wallet =>
  wallet !== null &&
  wallet.trialId === trial.id &&
  wallet.signer === signerOf(trial) &&
  wallet.collector === collectorOf(trial);

/** Whether the key is still one of the trial: a later version may have others, and the collector takes no tokens of the former. */
export const isOfTrial = (key: string, { periods }: TrialTokens): boolean =>
  periods.some((period) => period.key === key);

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

export const putOff = (now: Moment): Moment => moment(now + RETRY);

/** Whether a collector that may be down is left alone. What a clock that was ahead has put off is not. */
export const isPutOff = ({ retryAt }: Wallet, now: Moment): boolean =>
  now < retryAt && retryAt <= putOff(now);

/** When tokens that are fetched now may be spent: the time must not tell who has fetched them. */
export const settled = (now: Moment): Moment => moment(Math.floor(now + SETTLING * random()));

/** Some time of what is left of the period: at its begin, all devices would come at once. */
export function within({ from, until }: TokenPeriod, now: Moment): Moment {
  const begin = Math.max(from, now);
  return moment(Math.floor(begin + Math.max(0, until - begin) * random()));
}

/** From 0 to 1. */
const random = (): number => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32;

/** When there may be something to fetch; Infinity if never. */
export function nextRun(wallet: Wallet, tokens: TrialTokens, now: Moment): number {
  if (missing(wallet, tokens, now).length > 0) return isPutOff(wallet, now) ? wallet.retryAt : now;
  const starts = tokens.periods.map(({ from }) => from);
  return least([...starts, wallet.renewAt].filter((time) => time > now));
}

/** `next` after its batch was fetched, with what was spent `since`. */
export function merged(since: Wallet, next: Wallet): Wallet {
  const known = new Map(since.batches.map((batch) => [batch.key, batch]));
  return { ...next, batches: next.batches.map((batch) => known.get(batch.key) ?? batch) };
}
