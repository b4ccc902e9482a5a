import type { ParticipationMessage, ParticipationView } from '../messages';
import type { Joining } from './joining';
import type { Participation } from './participation';

/** Answers the extension's own pages about consent and trials. Only they may accept for the person. */
export class ParticipationMessages {
  constructor(
    private readonly participation: Participation,
    private readonly joining: Joining,
  ) {}

  /** @throws Error with a message for the person when the step cannot be taken */
  async answer(message: ParticipationMessage): Promise<ParticipationView> {
    if (message.kind !== 'get-participation') await this.take(message);
    return this.view();
  }

  private take(message: Exclude<ParticipationMessage, { kind: 'get-participation' }>): Promise<void> {
    switch (message.kind) {
      case 'offer-trial':
        return this.joining.offer(message.trial);
      case 'accept':
        return this.joining.accept(message.trial);
      case 'decline':
        return this.joining.decline(message.trial);
      case 'withdraw':
        return this.joining.withdraw();
      case 'forget-trial':
        return this.joining.forget();
    }
  }

  private view(): ParticipationView {
    const { standing, document, problem, isManaged, agreement, maySend, isAboutAnother } = this.participation;
    const accepted = agreement?.answer === 'accepted';
    return {
      standing,
      trial: document,
      problem,
      managed: isManaged,
      acceptedAt: maySend && accepted ? agreement.time : null,
      hadAgreed: !maySend && accepted,
      acceptingErases: isAboutAnother,
    };
  }
}
