import type { JSX } from 'preact';
import type { ParticipationMessage } from '../../messages';
import { t } from '../../i18n';
import { ask } from '../lib/ask';
import type { Act } from '../lib/use-act';
import type { Participation } from '../lib/use-participation';

/** Buttons to accept, decline, or remove the offered trial. */
export function Answers({
  shown: {
    view: { trial: document, standing, problem, managed, hadAgreed },
    trial,
    overview: { sources, pendingReports },
  },
  isPast,
  isBusy,
  act,
}: {
  readonly shown: Participation;
  /** Whether the trial is over. Then nobody can accept, and declining only erases earlier records. */
  readonly isPast: boolean;
  readonly isBusy: boolean;
  readonly act: Act;
}): JSX.Element {
  const answer = (message: ParticipationMessage) => (): void => act(() => ask(message));
  const staysAsAgreed = hadAgreed && !managed && document !== null;
  const isNoNeeded = !isPast || hadAgreed || sources > 0 || pendingReports > 0;
  return (
    <div class="row answers">
      {!isPast && (
        <button
          type="button"
          class="primary"
          id="accept"
          disabled={isBusy || problem !== null}
          onClick={answer({ kind: 'accept', trial: document })}
        >
          {trial === null ? t('consent_accept') : t('consent_accept_trial')}
        </button>
      )}
      {standing !== 'declined' && isNoNeeded && (
        <button
          type="button"
          id="decline"
          disabled={isBusy}
          onClick={answer({ kind: 'decline', trial: document })}
        >
          {staysAsAgreed ? t('consent_decline_change') : t('consent_decline')}
        </button>
      )}
      {document !== null && !managed && !staysAsAgreed && (
        <button
          type="button"
          class={isPast ? undefined : 'plain'}
          id="forget"
          disabled={isBusy}
          onClick={answer({ kind: 'forget-trial' })}
        >
          {t('trial_forget')}
        </button>
      )}
    </div>
  );
}
