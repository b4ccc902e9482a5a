import { canonical, type Json } from '../../src/model/json';
import type { Trial } from '../../src/model/trial';
import { isOver } from '../../src/settings/participation';
import { parseTrial } from '../../src/settings/parse-trial';
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
  /** Whether debug mode, and so the clock, stays as it is in a trial. */
  readonly rehearsal: boolean;
}

/** Takes a person into a trial and out of it. Each step is taken between two registrations. */
export class Joining {
  constructor(private readonly parts: Parts) {}

  /**
   * Puts a trial before the person, who then is asked.
   * @throws Error naming what is wrong with it, or why it cannot be.
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
   * @throws Error when that is not what there is to agree to.
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
      // It was recorded for somebody else, and must not go where this trial's reports go.
      if (participation.isAboutAnother) await erasing.eraseForGood();
      await participation.setAgreement({ answer: 'accepted', time: Date.now(), trial: document });
    });
  }

  /**
   * Says no: to a change of what was agreed to, which then stays as it was, or to everything, which is erased.
   * @param shown what the person read before they declined
   * @throws Error when that is not what there is to answer. Only `withdraw` erases what is agreed to.
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

  /** Erases everything and goes back to before the consent. */
  withdraw(): Promise<void> {
    return this.parts.recorder.alone(() => this.leave('withdrawing'));
  }

  /** Takes back a trial that was offered and not agreed to. */
  async forget(): Promise<void> {
    const { participation } = this.parts;
    if (participation.isManaged) throw new Error(t('joining_by_policy'));
    if (participation.agreedTrial !== null) throw new Error(t('joining_in_this'));
    if (this.hasFormerOffer) await this.restoreFormerOffer();
    else await participation.offer(null);
  }

  /** What must hold before anything is recorded or sent, whatever an earlier life of the background, or version, left. */
  async start(): Promise<void> {
    await this.finishLeaving();
    await this.putClockBack();
  }

  /** One that is over keeps nobody from the next. */
  private isInAnother({ id }: Trial): boolean {
    const { participation, clock } = this.parts;
    const { joinedTrialId, joinedTrial } = participation;
    if (joinedTrialId === null || joinedTrialId === id) return false;
    return joinedTrial === null || !isOver(joinedTrial, clock.now());
  }

  /** Policy, or another page, may have put something else before the person meanwhile. */
  private requireShown(shown: Json | null): void {
    if (canonical(shown) !== canonical(this.parts.participation.document))
      throw new Error(t('joining_changed'));
  }

  /** Whether the trial that was agreed to last can take the place of the one that is asked about. */
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

  /** The answer comes first: should the background end in between, the next one goes on to erase. */
  private async leave(answer: 'declining' | 'withdrawing'): Promise<void> {
    const { participation } = this.parts;
    await participation.setAgreement({ answer, time: Date.now(), trial: participation.document });
    await this.finishLeaving();
  }

  private async finishLeaving(): Promise<void> {
    const { participation, erasing, settings, badge } = this.parts;
    const { agreement } = participation;
    if (agreement?.answer !== 'declining' && agreement?.answer !== 'withdrawing') return;
    await erasing.eraseForGood();
    // These say where somebody has been.
    await settings.update({ paused: false, pausedSites: [] });
    badge.clear();
    await participation.setAgreement(
      agreement.answer === 'declining' ? { ...agreement, answer: 'declined' } : null,
    );
  }
}
