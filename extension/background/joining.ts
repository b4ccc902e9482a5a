import { canonical, type Json } from '../../src/model/json';
import type { Trial } from '../../formats/settings/trial';
import { isOver } from '../consent/standing';
import { parseTrial } from '../../formats/settings/parse-trial';
import { forReader, t } from '../i18n';
import { words } from '../words';
import type { Badge } from './badge';
import type { Clock } from './clock';
import type { Erasing } from './erasing';
import type { Participation } from './participation';
import type { Recorder } from './recorder';
import type { SettingsHolder } from './settings';

interface Parts {
  readonly participation: Participation;
  readonly recorder: Recorder;
  readonly erasing: Erasing;
  readonly settings: SettingsHolder;
  readonly clock: Clock;
  readonly badge: Badge;
  /** Whether debug mode, and with it the test clock, stays available in a trial. */
  readonly rehearsal: boolean;
}

/** Takes a person into and out of a trial. Each step runs between two registrations. */
export class Joining {
  constructor(private readonly parts: Parts) {}

  /**
   * Shows the person a trial and asks for consent.
   * @throws Error naming what is wrong with it, or why it cannot be offered
   */
  async offer(document: Json): Promise<void> {
    const { participation, clock } = this.parts;
    const { value: trial, errors } = parseTrial(document);
    if (trial === null) throw new Error(words.issuesText(errors));
    if (participation.isManaged) throw new Error(t('joining_by_policy'));
    if (this.isInAnother(trial))
      throw new Error(t('joining_in_another', { title: participation.joinedTrialTitle }));
    if (isOver(trial, clock.now()))
      throw new Error(t('joining_over', { title: forReader(trial.title).text }));
    await participation.offer(document);
  }

  /**
   * @param shown what the person read before they accepted
   * @throws Error when that is not the current question
   */
  accept(shown: Json | null): Promise<void> {
    const { participation, recorder, erasing, clock, rehearsal } = this.parts;
    return recorder.alone(async () => {
      const { document, trial, problem } = participation;
      if (problem !== null) throw new Error(t('trial_problem', { problem }));
      this.requireShown(shown);
      if (trial !== null && !rehearsal) await clock.reset();
      if (trial !== null && isOver(trial, clock.now()))
        throw new Error(t('joining_over', { title: forReader(trial.title).text }));
      // These records belong to another trial or to none. They must not go to this trial's collector.
      if (participation.isAboutAnother) await erasing.eraseForGood();
      await participation.setAgreement({ answer: 'accepted', time: Date.now(), trial: document });
    });
  }

  /**
   * Declines. If this was a change of the agreement, the agreement stays as it was; otherwise everything is erased.
   * @param shown what the person read before they declined
   * @throws Error when that is not the current question, or no question is open; use `withdraw` to leave a trial
   */
  decline(shown: Json | null): Promise<void> {
    const { participation, recorder } = this.parts;
    return recorder.alone(async () => {
      if (participation.maySend) throw new Error(t('joining_nothing_to_answer'));
      this.requireShown(shown);
      if (this.hasFormerOffer) await this.restoreFormerOffer();
      else await this.leave('declining');
    });
  }

  /** Erases everything and returns to the state before consent. */
  withdraw(): Promise<void> {
    return this.parts.recorder.alone(() => this.leave('withdrawing'));
  }

  /** Removes a trial that was offered but not accepted. */
  async forget(): Promise<void> {
    const { participation } = this.parts;
    if (participation.isManaged) throw new Error(t('joining_by_policy'));
    if (participation.agreedTrial !== null) throw new Error(t('joining_in_this'));
    if (this.hasFormerOffer) await this.restoreFormerOffer();
    else await participation.offer(null);
  }

  /** Restores the invariants before anything is recorded or sent, whatever an earlier run or version left behind. */
  async start(): Promise<void> {
    await this.finishLeaving();
    await this.putClockBack();
  }

  /** A finished trial does not count. */
  private isInAnother({ id }: Trial): boolean {
    const { participation, clock } = this.parts;
    const { joinedTrialId, joinedTrial } = participation;
    if (joinedTrialId === null || joinedTrialId === id) return false;
    return joinedTrial === null || !isOver(joinedTrial, clock.now());
  }

  /** Policy or another page may have changed the question since the person read it. */
  private requireShown(shown: Json | null): void {
    if (canonical(shown) !== canonical(this.parts.participation.document))
      throw new Error(t('joining_changed'));
  }

  /** Whether the question can go back to the trial that the person accepted last. */
  private get hasFormerOffer(): boolean {
    const { isManaged, agreement, document, maySend } = this.parts.participation;
    return !isManaged && !maySend && document !== null && agreement?.answer === 'accepted';
  }

  private async restoreFormerOffer(): Promise<void> {
    const { participation } = this.parts;
    await this.putClockBack();
    await participation.offer(participation.agreement?.trial ?? null);
  }

  /** What was recorded in a trial is sent by the device's clock only. */
  private async putClockBack(): Promise<void> {
    const { participation, clock, rehearsal } = this.parts;
    const isTurned = clock.frozen || clock.ahead !== 0;
    if (isTurned && !rehearsal && participation.joinedTrialId !== null) await clock.reset();
  }

  /** Stores the answer first. If the background stops before it has erased everything, the next start continues. */
  private async leave(answer: 'declining' | 'withdrawing'): Promise<void> {
    const { participation } = this.parts;
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
