import type { JSX } from 'preact';
import { isOver } from '../../../consent/agreement';
import { t } from '../../../i18n';
import type { Participation } from '../../state/use-participation';
import { showTime } from '../../words/words';

/** The question that the page asks, or the person's answer. */
export function ConsentHeading({
  shown: { view, trial, overview },
  isInvited,
}: {
  readonly shown: Participation;
  /** Whether a page asks the person to look at a trial. */
  readonly isInvited: boolean;
}): JSX.Element {
  const { acceptedAt, hadAgreed, acceptingErases, offer } = view;
  const words = (): string => {
    if (isInvited && acceptedAt === null) return t('asked_invitation');
    if (offer !== null && !isInvited) {
      if (offer.relation !== 'another') return t('consent_has_changed');
      return t(trial === null ? 'consent_take_part' : 'asked_another');
    }
    if (trial === null) return acceptedAt === null ? t('consent_may_it') : t('consent_you_agreed');
    if (isOver(trial, overview.now)) return t('consent_trial_over');
    if (acceptedAt !== null) return t('consent_you_take_part');
    return hadAgreed && !acceptingErases ? t('consent_has_changed') : t('consent_take_part');
  };
  return <>{words()}</>;
}

/** Whether anything is recorded now, and why. */
export function ConsentStatus({ shown }: { readonly shown: Participation }): JSX.Element {
  const { consentStatus, acceptedAt } = shown.view;
  const { paused, pendingReports } = shown.overview;
  return (
    <p
      class={`banner ${consentStatus === 'recording' && !paused ? 'info' : ''}`}
      role="status"
      id="consent-status"
      data-consent-status={consentStatus}
    >
      {statusWords(shown)} {acceptedAt !== null && t('consent_agreed_at', { time: showTime(acceptedAt) })}{' '}
      {consentStatus === 'ended' && t('consent_still_waiting', { count: pendingReports })}
    </p>
  );
}

function statusWords({ view: { consentStatus, offer }, trial, overview }: Participation): string {
  switch (consentStatus) {
    case 'unanswered':
      return trial !== null && isOver(trial, overview.now)
        ? t('asked_off_over', { time: showTime(trial.end) })
        : t('consent_off_unanswered');
    case 'declined':
      return t('consent_off_declined');
    case 'not-started':
      return t('consent_off_until', { time: showTime(trial?.start ?? 0) });
    case 'recording':
      if (overview.paused) return t('consent_paused');
      return t(offer === null ? 'consent_on' : 'asked_on_beside');
    case 'ended':
      return t('consent_ended', { time: showTime(trial?.end ?? 0) });
  }
}
