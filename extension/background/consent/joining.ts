import { type Json } from '../../../src/model/json';
import { continued, historyOf, type BudgetHistory } from '../../consent/budget-history';
import { isOver } from '../../consent/agreement';
import { readTrial, type ReadTrial } from '../../../formats/settings/trial-signature';
import { forReader, t } from '../../i18n';
import { words } from '../../words';
import type { Badge } from '../state/badge';
import type { Clock } from '../state/clock';
import type { Erasing } from '../record/erasing';
import type { Participation } from '../state/participation';
import type { Recorder } from '../record/recorder';
import type { SettingsHolder } from '../state/settings';
import type { Tokens } from '../tokens/tokens';
import type { Wallet } from '../tokens/wallet';
import { canonical } from '../../../formats/codec/plain-json';
import { jointLossSoFar } from '../state/joint-loss-so-far';
import type { Store } from '../../../transactions/store';

interface Parts {
  readonly participation: Participation;
  readonly recorder: Recorder;
  readonly erasing: Erasing;
  readonly settings: SettingsHolder;
  readonly clock: Clock;
  readonly store: Store;
  readonly badge: Badge;
  readonly tokens: Pick<Tokens, 'enrol' | 'adopt' | 'abandon'>;
  /** Whether debug mode, and with it the test clock, stays available in a trial. */
  readonly rehearsal: boolean;
}

/** Takes a person into and out of a trial. Each step runs between two registrations. */
export class Joining {
  constructor(private readonly parts: Parts) {}

  /**
   * Shows the person a trial. What they agreed to goes on until they accept it.
   * @param from a link can be anybody's, so its trial must be signed
   * @throws Error naming what is wrong with it, or why it cannot be offered
   */
  async offer(document: Json, from: 'file' | 'link'): Promise<void> {
    const { participation, recorder } = this.parts;
    const { value: read, errors } = await readTrial(document);
    if (read === null) throw new Error(words.issuesText(errors));
    await recorder.alone(async () => {
      if (participation.isManaged) throw new Error(t('joining_by_policy'));
      if (from === 'link' && read.signer === null) throw new Error(t('joining_not_signed'));
      this.requireNoReplay(read);
      this.requireNotOver(read);
      await participation.offerTrial(document);
    });
  }

  /**
   * @param shown what the person read before they accepted
   * @param invitation the code of a trial with tokens
   * @throws Error when that is not the current question, or the code is not good
   */
  async accept(shown: Json | null, invitation = ''): Promise<void> {
    this.requireAnswerable(shown);
    const { question } = this;
    const goesOn = this.parts.participation.isAbout(question);
    // Not `alone`: it takes seconds.
    const wallet = await this.parts.tokens.enrol(question?.trial ?? null, invitation, goesOn);
    await this.agree(shown, wallet);
  }

  private agree(shown: Json | null, wallet: Wallet | null): Promise<void> {
    const { participation, recorder, erasing, clock, tokens, rehearsal } = this.parts;
    return recorder.alone(async () => {
      const { question } = this;
      const { isManaged } = participation;
      this.requireAnswerable(shown);
      if (question !== null && !rehearsal) await clock.reset();
      if (question !== null) this.requireNotOver(question);
      if (!participation.isAbout(question)) {
        // These records belong to another trial or to none. Nothing of that is sent any more, and the next background erases it if need be.
        await participation.setAgreement({
          answer: 'withdrawing',
          time: Date.now(),
          trial: participation.document,
        });
        await erasing.eraseForGood();
      }
      const budgets = question === null ? null : await this.budgetsWith(question);
      await tokens.adopt(wallet);
      await participation.setAgreement({
        answer: 'accepted',
        time: Date.now(),
        trial: question?.document ?? null,
        ...(isManaged ? { managed: true } : {}),
        ...(budgets === null ? {} : { budgets }),
      });
    });
  }

  /**
   * Declines. What was agreed to before goes on, if it can; otherwise everything is erased.
   * @param shown what the person read before they declined
   * @throws Error when that is not the current question, or no question is open; use `withdraw` to leave a trial
   */
  decline(shown: Json | null): Promise<void> {
    const { participation, recorder } = this.parts;
    return recorder.alone(async () => {
      if (participation.offer === null && participation.maySend)
        throw new Error(t('joining_nothing_to_answer'));
      this.requireShown(shown);
      if (participation.offer === null) await this.leave('declining');
      else await this.putOfferAside();
    });
  }

  /** Erases everything and returns to the state before consent. */
  withdraw(): Promise<void> {
    return this.parts.recorder.alone(() => this.leave('withdrawing'));
  }

  /** Follows the policy as it is now, but not in the middle of an answer. */
  readPolicy(): Promise<void> {
    const { recorder, participation } = this.parts;
    return recorder.alone(() => participation.readPolicy());
  }

  /** Removes a trial that was offered but not accepted. */
  forget(): Promise<void> {
    const { participation, recorder } = this.parts;
    return recorder.alone(async () => {
      if (participation.isManaged) throw new Error(t('joining_by_policy'));
      if (participation.offer !== null) await this.putOfferAside();
      else if (participation.agreedTrial !== null) throw new Error(t('joining_in_this'));
      else await participation.offerTrial(null);
    });
  }

  /** Restores the invariants before anything is recorded or sent, whatever an earlier run or version left behind. */
  async start(): Promise<void> {
    await this.finishLeaving();
    await this.putClockBack();
  }

  /** What the person is to answer: the trial that they look at, else what is asked of them; null: Cointoss without a trial. */
  private get question(): ReadTrial | null {
    const { offer, read } = this.parts.participation;
    return offer?.read ?? read;
  }

  /** The budgets of the participation when it goes on with this trial; null if it begins with it. */
  private async budgetsWith({ trial }: ReadTrial): Promise<BudgetHistory | null> {
    const { participation, clock, store } = this.parts;
    const { agreement, agreedRead } = participation;
    if (agreement === null || agreedRead === null) return null;
    return continued(
      historyOf(agreement),
      agreedRead.trial,
      trial,
      clock.now(),
      await store.read(jointLossSoFar),
    );
  }

  /** @throws Error unless the person may accept what they were shown */
  private requireAnswerable(shown: Json | null): void {
    const { participation } = this.parts;
    const { question } = this;
    if (participation.offer === null && participation.problem !== null)
      throw new Error(t('trial_problem', { problem: participation.problem }));
    this.requireShown(shown);
    if (question !== null) this.requireNoReplay(question);
  }

  /** Whoever kept an older version must not bring it back. */
  private requireNoReplay(read: ReadTrial): void {
    const { participation } = this.parts;
    if (participation.relationTo(read) !== 'replay') return;
    const agreed = participation.agreedRead?.trial.version ?? 0;
    throw new Error(t('joining_replay', { version: read.trial.version, agreed }));
  }

  /** An earlier end may be past when it is learned of. */
  private requireNotOver(read: ReadTrial): void {
    const { participation, clock } = this.parts;
    if (isOver(read.trial, clock.now()) && participation.relationTo(read) !== 'shortened')
      throw new Error(t('joining_over', { title: forReader(read.trial.title).text }));
  }

  /** Policy or another page may have changed the question since the person read it. */
  private requireShown(shown: Json | null): void {
    const { offer, document } = this.parts.participation;
    if (canonical(shown) !== canonical(offer?.read.document ?? document))
      throw new Error(t('joining_changed'));
  }

  /** Goes back to what the person agreed to. */
  private async putOfferAside(): Promise<void> {
    const { participation, tokens } = this.parts;
    await tokens.abandon();
    await participation.offerTrial(participation.document);
  }

  /** What was recorded in a trial is sent by the device's clock only. */
  private async putClockBack(): Promise<void> {
    const { participation, clock, rehearsal } = this.parts;
    const isTurned = clock.frozen || clock.ahead !== 0;
    if (isTurned && !rehearsal && participation.joinedTrialId !== null) await clock.reset();
  }

  /** Stores the answer first. If the background stops before it has erased everything, the next start continues. */
  private async leave(answer: 'declining' | 'withdrawing'): Promise<void> {
    const { participation, tokens } = this.parts;
    if (participation.offer !== null) await this.putOfferAside();
    await tokens.abandon();
    await participation.setAgreement({ answer, time: Date.now(), trial: participation.document });
    await this.finishLeaving();
  }

  private async finishLeaving(): Promise<void> {
    const { participation, erasing, settings, badge } = this.parts;
    const { agreement } = participation;
    if (agreement?.answer !== 'declining' && agreement?.answer !== 'withdrawing') return;
    // These settings reveal which sites somebody visited. Nothing of their former values stays on the disk either.
    await settings.update({ paused: false, pausedSites: [] });
    await erasing.eraseForGood();
    badge.clear();
    await participation.setAgreement(
      agreement.answer === 'declining' ? { ...agreement, answer: 'declined' } : null,
    );
  }
}
