import type { JSX } from 'preact';
import type { ParticipationMessage } from '../../../messages';
import { t } from '../../../i18n';
import { ask } from '../../state/ask';
import type { Act } from '../../state/use-act';
import type { Participation } from '../../state/use-participation';
import { DecidingButton } from '../../ui/deciding-button';

/** Buttons to accept, decline, or remove the offered trial. */
export function Answers({
  shown: {
    view: { consentStatus, problem, managed, hadAgreed, offer, needsInvitation },
    asked: { trial, document },
    agreed,
    overview: { sources, pendingReports },
  },
  isPast,
  isBusy,
  act,
  code,
  onCode,
}: {
  readonly shown: Participation;
  /** Whether the trial is over. Then nobody can accept, and declining only erases earlier records. */
  readonly isPast: boolean;
  readonly isBusy: boolean;
  readonly act: Act;
  /** The invitation code, as far as it was typed. */
  readonly code: string;
  readonly onCode: (code: string) => void;
}): JSX.Element {
  const answer = (message: ParticipationMessage) => (): void => act(() => ask(message));
  const isNoNeeded = !isPast || hadAgreed || offer !== null || sources > 0 || pendingReports > 0;
  const yes = (): string => {
    if (offer !== null && offer.relation !== 'another') return t('asked_accept_change');
    if (leaves) return t('asked_switch');
    return trial === null ? t('consent_accept') : t('consent_accept_trial');
  };
  /** To leave a trial for a stranger's must not be the button that stands out. */
  const leaves = offer?.relation === 'another' && agreed !== null;
  const isCodeAsked = needsInvitation && !isPast;
  const answers = (
    <div class="row answers">
      {!isPast && (
        <DecidingButton
          class={leaves ? undefined : 'primary'}
          id="accept"
          disabled={isBusy || (offer === null && problem !== null) || (isCodeAsked && code.trim() === '')}
          onPress={answer({ kind: 'accept', trial: document, ...(isCodeAsked ? { invitation: code } : {}) })}
        >
          {yes()}
        </DecidingButton>
      )}
      {(consentStatus !== 'declined' || offer !== null) && isNoNeeded && (
        <DecidingButton
          class={leaves ? 'primary' : undefined}
          id="decline"
          disabled={isBusy}
          onPress={answer({ kind: 'decline', trial: document })}
        >
          {offer === null ? t('consent_decline') : t('consent_decline_change')}
        </DecidingButton>
      )}
      {document !== null && !managed && offer === null && (
        <DecidingButton
          class={isPast ? undefined : 'plain'}
          id="forget"
          disabled={isBusy}
          onPress={answer({ kind: 'forget-trial' })}
        >
          {t('trial_forget')}
        </DecidingButton>
      )}
    </div>
  );
  return isCodeAsked ? (
    <div class="stack">
      <InvitationCode code={code} isAnother={agreed?.trial.tokens != null} onCode={onCode} />
      {answers}
    </div>
  ) : (
    answers
  );
}

function InvitationCode({
  code,
  isAnother,
  onCode,
}: {
  readonly code: string;
  /** Whether the person used a code before, which is not good for this trial or its new collector. */
  readonly isAnother: boolean;
  readonly onCode: (code: string) => void;
}): JSX.Element {
  return (
    <div class="stack" id="invitation-code">
      <div class="row link">
        <label for="code">{t('consent_invitation')}</label>
        <input
          id="code"
          class="code"
          autoComplete="off"
          autoCapitalize="characters"
          spellcheck={false}
          aria-describedby="code-meaning"
          value={code}
          onInput={({ currentTarget }) => onCode(currentTarget.value)}
        />
      </div>
      <p class="soft small" id="code-meaning">
        {t(isAnother ? 'consent_invitation_another' : 'consent_invitation_meaning')}
      </p>
    </div>
  );
}
