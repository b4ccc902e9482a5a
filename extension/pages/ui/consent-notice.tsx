import type { ComponentChildren, JSX } from 'preact';
import browser from 'webextension-polyfill';
import { isOver } from '../../consent/agreement';
import type { Overview } from '../../messages';
import { rich, t } from '../../i18n';
import { showTime } from '../words/words';
import { TrialTitle } from './foreign';

type ConsentState = Pick<Overview, 'consentStatus' | 'trial' | 'now'>;

/** Shows on every page whether the person has agreed to recording, unless Cointoss simply records. */
export function ConsentNotice({ overview }: { readonly overview: ConsentState }): JSX.Element | null {
  const words = wordsFor(overview);
  if (words === null) return null;
  const { consentStatus, trial, now } = overview;
  const isOff = consentStatus !== 'recording';
  const isPast = trial !== null && isOver(trial, now);
  const mayAnswer = !isPast && (consentStatus === 'unanswered' || consentStatus === 'declined');
  return (
    <p
      class={isOff ? 'banner' : 'banner info'}
      role="status"
      id="consent-status"
      data-consent-status={consentStatus}
    >
      {words} <ConsentLink>{mayAnswer ? t('consent_notice_answer') : t('consent_notice_more')}</ConsentLink>
    </p>
  );
}

function wordsFor({ consentStatus, trial, now }: ConsentState): ComponentChildren {
  const title = <TrialTitle of={trial} />;
  switch (consentStatus) {
    case 'unanswered':
      return trial !== null && isOver(trial, now)
        ? rich('consent_notice_ended', { title, end: showTime(trial.end) })
        : t('consent_notice_unanswered');
    case 'declined':
      return t('consent_notice_declined');
    case 'not-started':
      return rich('consent_notice_not_started', { title, start: showTime(trial?.start ?? 0) });
    case 'recording':
      return trial === null ? null : rich('consent_notice_taking_part', { title, end: showTime(trial.end) });
    case 'ended':
      return rich('consent_notice_ended', { title, end: showTime(trial?.end ?? 0) });
  }
}

/** In a new tab, because a popup cannot hold a page. */
const ConsentLink = ({ children }: { readonly children: string }): JSX.Element => (
  <a
    href="consent.html"
    onClick={(event) => {
      event.preventDefault();
      const [popup] = browser.extension.getViews({ type: 'popup' });
      void browser.tabs.create({ url: event.currentTarget.href }).then(() => popup?.close());
    }}
  >
    {children}
  </a>
);
