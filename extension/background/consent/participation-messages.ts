import type { ParticipationMessage, ParticipationView, TrialView } from '../../messages';
import type { ReadTrial } from '../../../formats/settings/trial-signature';
import { historyOf } from '../../consent/budget-history';
import { fetchTrial } from './fetch-trial';
import type { Joining } from './joining';
import { keepAwake } from '../state/keep-awake';
import type { Participation } from '../state/participation';
import type { Tokens } from '../tokens/tokens';
import type { Json } from '../../../src/model/json';

/** Answers the extension's own pages about consent and trials. Only they may accept for the person. */
export class ParticipationMessages {
  constructor(
    private readonly participation: Participation,
    private readonly joining: Joining,
    private readonly tokens: Pick<Tokens, 'needsInvitation'>,
    /** Whether a trial may come from a server on this device. */
    private readonly rehearsal: boolean,
  ) {}

  /** @throws Error with a message for the person when the step cannot be taken */
  async answer(message: ParticipationMessage): Promise<ParticipationView> {
    if (message.kind !== 'get-participation') await this.follow(message);
    return this.view();
  }

  private follow(message: Exclude<ParticipationMessage, { kind: 'get-participation' }>): Promise<void> {
    switch (message.kind) {
      case 'offer-trial':
        return this.joining.offer(message.trial, 'file');
      case 'look-at-trial':
        return this.look(message.link);
      case 'accept':
        return this.accept(message.trial, message.invitation);
      case 'decline':
        return this.joining.decline(message.trial);
      case 'withdraw':
        return this.joining.withdraw();
      case 'forget-trial':
        return this.joining.forget();
    }
  }

  private async accept(shown: Json | null, invitation?: string): Promise<void> {
    const accepted = this.joining.accept(shown, invitation);
    keepAwake(accepted);
    await accepted;
  }

  private async look(link: string): Promise<void> {
    const fetched = fetchTrial(link, this.rehearsal);
    keepAwake(fetched);
    await this.joining.offer(await fetched, 'link');
  }

  private view(): ParticipationView {
    const { consentStatus, document, read, offer, problem, isManaged, agreement, agreedRead, maySend } =
      this.participation;
    const accepted = agreement?.answer === 'accepted';
    return {
      consentStatus,
      trial: document,
      signer: read?.signer?.fingerprint ?? null,
      offer: offer === null ? null : { ...viewOf(offer.read), relation: offer.relation },
      agreed: agreedRead === null || maySend ? null : viewOf(agreedRead),
      problem,
      managed: isManaged,
      acceptedAt: maySend && accepted ? agreement.time : null,
      hadAgreed: !maySend && accepted,
      acceptingErases: !this.participation.isAbout(offer?.read ?? read),
      needsInvitation: this.tokens.needsInvitation((offer?.read ?? read)?.trial ?? null),
      budgets: accepted ? historyOf(agreement) : null,
    };
  }
}

const viewOf = ({ document, signer }: ReadTrial): TrialView => ({
  trial: document,
  signer: signer?.fingerprint ?? null,
});
