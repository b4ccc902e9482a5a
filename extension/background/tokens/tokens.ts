import browser from 'webextension-polyfill';
import { toBase64Url } from '../../../formats/codec/base64-url';
import { periodAt } from '../../../formats/settings/parse-tokens';
import type { TokenPeriod, Trial, TrialTokens } from '../../../formats/settings/trial';
import { readInvitation } from '../../../formats/tokens/issuance';
import { challengeOf, sha256 } from '../../../formats/tokens/token';
import { keyIdOf } from '../../../formats/tokens/token-key';
import type { DeliveryOutcome, InternalId, Report } from '../../../src/model/records';
import type { Moment } from '../../../src/model/units';
import { t } from '../../i18n';
import type { IdbStore } from '../../store/idb-store';
import type { Clock } from '../state/clock';
import { keepAwake } from '../state/keep-awake';
import { blindBatch, finishBatch } from './blind-batch';
import {
  isOf,
  isOfTrial,
  isPutOff,
  merged,
  missing,
  newWallet,
  nextRun,
  putOff,
  settled,
  within,
} from './renewal';
import { askForSignatures } from './token-issuer';
import {
  isBound,
  bindToken,
  withoutOver,
  withoutRefused,
  withoutReport,
  type Batch,
  type Wallet,
} from './wallet';

const ALARM = 'tokens';

interface Saved {
  /** The wallet of the trial that the person takes part in. */
  readonly wallet: Wallet | null;
  /** The wallet of a trial that the person is about to accept. */
  readonly enrolling: Wallet | null;
}

const nothing: Saved = { wallet: null, enrolling: null };

/** The tokens that reports to a trial's collector spend (docs/tokens.md). */
export class Tokens {
  private renewing: Promise<void> | null = null;
  /** Whether the disk has what is in memory. */
  private isSaved = true;
  /** How often the person has left what they were about to join. */
  private left = 0;

  private constructor(
    private readonly store: IdbStore,
    private readonly clock: Clock,
    private readonly agreedTrial: () => Trial | null,
    private saved: Saved,
  ) {}

  static async load(store: IdbStore, clock: Clock, agreedTrial: () => Trial | null): Promise<Tokens> {
    return new Tokens(
      store,
      clock,
      agreedTrial,
      ((await store.getMeta('tokens')) as Saved | null) ?? nothing,
    );
  }

  static isAlarm(name: string): boolean {
    return name === ALARM;
  }

  /** Whether a person needs an invitation code to accept this trial. */
  needsInvitation(trial: Trial | null): boolean {
    return trial !== null && trial.tokens !== null && !isOf(this.saved.wallet, trial);
  }

  /**
   * Exchanges an invitation for the first tokens of a trial, before the person's agreement counts. After a failure it can be tried again.
   * @param goesOn whether reports of the trial may wait already, because an earlier version of it was agreed to
   * @returns what to `adopt` once they have agreed
   * @throws Error with a message for the person
   */
  async enrol(trial: Trial | null, invitation: string, goesOn = false): Promise<Wallet | null> {
    const { wallet, enrolling } = this.saved;
    if (trial === null || trial.tokens === null) return null;
    if (isOf(wallet, trial)) return wallet;
    const code = readInvitation(invitation);
    if (code === null) throw new Error(t('tokens_no_invitation'));
    const now = this.clock.now();
    const period = periodAt(trial.tokens, now) ?? trial.tokens.periods.find(({ from }) => from > now);
    if (period === undefined) throw new Error(t('tokens_over'));
    const started =
      isOf(enrolling, trial) && enrolling.invitation === code ? enrolling : newWallet(trial, code);
    const { left } = this;
    const usableFrom = goesOn ? settled(now) : now;
    return this.fetchBatch(started, trial.tokens, period, usableFrom, async (next) => {
      if (this.left !== left) throw new Error(t('joining_changed'));
      await this.save({ ...this.saved, enrolling: next });
    });
  }

  /** Keeps the tokens of the trial that the person has agreed to; null: it has none. */
  async adopt(wallet: Wallet | null): Promise<void> {
    const { wallet: since } = this.saved;
    // What was spent since `enrol` stays spent.
    await this.save({ wallet: since?.member === wallet?.member ? since : wallet, enrolling: null });
    this.schedule();
  }

  /** Forgets the tokens of the participation, and the secret by which the collector knew the device. A trial that the person is about to join keeps its tokens. */
  async erase(): Promise<void> {
    await this.save({ ...this.saved, wallet: null });
    this.schedule();
  }

  /** Forgets what the person was about to join. */
  async abandon(): Promise<void> {
    this.left += 1;
    if (this.saved.enrolling !== null) await this.save({ ...this.saved, enrolling: null });
  }

  /**
   * The value of the header `Authorization` for a report; null if its addressee takes no tokens. The same report gets the same token until
   * `settle`.
   * @throws Error saying why there is no token now
   */
  async authorizationFor({ id, recipient }: Pick<Report, 'id' | 'recipient'>): Promise<string | null> {
    const { wallet } = this.saved;
    if (wallet === null || recipient !== wallet.collector) return null;
    const now = this.clock.now();
    const taken = bindToken(wallet.batches, id, now);
    if (taken === null) {
      void this.run();
      throw new Error(whyNone(wallet.batches, now));
    }
    if (taken.batches !== wallet.batches) await this.saveBatches(taken.batches);
    // Else the next background could give the token to another report.
    else if (!this.isSaved) await this.save(this.saved);
    return taken.token;
  }

  /** Lets a report's token go once the collector has taken the report, or refused the token. */
  async settle(id: InternalId, outcome: DeliveryOutcome): Promise<void> {
    const { wallet } = this.saved;
    if (wallet === null || outcome.kind !== 'answered' || !isBound(wallet.batches, id)) return;
    if (outcome.status >= 200 && outcome.status < 300)
      await this.saveBatches(withoutReport(wallet.batches, id));
    if (outcome.status === 401) await this.saveBatches(withoutRefused(wallet.batches, id));
  }

  /** Fetches the tokens of this period, and when their time has come those of the next one. */
  run(): Promise<void> {
    this.renewing ??= this.renew()
      .catch((error: unknown) => console.warn('Cointoss could not fetch tokens', error))
      .finally(() => {
        this.renewing = null;
        this.schedule();
      });
    keepAwake(this.renewing);
    return this.renewing;
  }

  private async renew(): Promise<void> {
    const trial = this.agreedTrial();
    const now = this.clock.now();
    const { wallet } = this.saved;
    if (trial === null || trial.tokens === null || !isOf(wallet, trial)) return;
    const { tokens } = trial;
    const kept = withoutOver(wallet.batches, now).filter(({ key }) => isOfTrial(key, tokens));
    if (kept.length < wallet.batches.length) await this.saveBatches(kept);
    if (isPutOff(wallet, now)) return;
    for (const period of missing(wallet, tokens, now)) {
      const current = this.saved.wallet;
      if (current === null) return;
      const asking = { ...current, retryAt: putOff(now) };
      // What was spent meanwhile stays spent, and what was erased is not brought back.
      await this.fetchBatch(asking, tokens, period, settled(now), async (next) => {
        const { wallet: since } = this.saved;
        if (since?.member !== next.member) throw new Error('the participation has ended meanwhile');
        await this.save({ ...this.saved, wallet: merged(since, next) });
      });
    }
  }

  private async fetchBatch(
    wallet: Wallet,
    tokens: TrialTokens,
    period: TokenPeriod,
    usableFrom: Moment,
    save: (next: Wallet) => Promise<void>,
  ): Promise<Wallet> {
    if (wallet.batches.some(({ key }) => key === period.key)) return wallet;
    const { key } = period;
    const digest = await sha256(await challengeOf(wallet.collector, wallet.trialId));
    const pending =
      wallet.pending?.key === key && wallet.pending.blind.length === tokens.batch
        ? wallet.pending
        : { key, blind: await blindBatch(key, digest, tokens.batch) };
    const asking = { ...wallet, pending };
    await save(asking);
    const signatures = await askForSignatures(wallet.collector, {
      invitation: wallet.invitation,
      member: wallet.member,
      keyId: toBase64Url(await keyIdOf(key)),
      blinded: pending.blind.map(({ blinded }) => blinded),
    });
    const free = await finishBatch(key, pending.blind, signatures).catch((error: unknown) => {
      throw new Error(t('tokens_not_valid'), { cause: error });
    });
    const { from, until } = period;
    const batch: Batch = { key, from, until, usableFrom, free, bound: {} };
    const next = {
      ...asking,
      pending: null,
      batches: [...wallet.batches, batch],
      renewAt: within(period, this.clock.now()),
    };
    await save(next);
    return next;
  }

  private schedule(): void {
    const trial = this.agreedTrial();
    const { wallet } = this.saved;
    const at =
      trial === null || trial.tokens === null || !isOf(wallet, trial)
        ? Infinity
        : nextRun(wallet, trial.tokens, this.clock.now());
    if (at === Infinity) void browser.alarms.clear(ALARM);
    else void browser.alarms.create(ALARM, { when: at - this.clock.ahead });
  }

  private async saveBatches(batches: readonly Batch[]): Promise<void> {
    const { wallet } = this.saved;
    if (wallet !== null) await this.save({ ...this.saved, wallet: { ...wallet, batches } });
  }

  private async save(saved: Saved): Promise<void> {
    this.saved = saved;
    this.isSaved = false;
    await this.store.setMeta('tokens', saved);
    this.isSaved ||= this.saved === saved;
  }
}

function whyNone(batches: readonly Batch[], now: Moment): string {
  const batch = batches.find(({ from, until }) => from <= now && now < until);
  if (batch === undefined) return t('tokens_not_fetched');
  if (batch.usableFrom > now) return t('tokens_settling');
  return t('tokens_all_spent');
}
