import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { isOver } from '../../../consent/agreement';
import type { Overview } from '../../../messages';
import { rich, t } from '../../../i18n';
import type { Act } from '../../state/use-act';
import { showTime } from '../../words/words';
import { Card } from '../../ui/basics';
import { TrialTitle } from '../../ui/foreign';
import { Withdraw, Withdrawn } from '../../ui/withdraw';

/** Whether the person has agreed to recording, and how to withdraw. */
export function ConsentCard({
  overview: { consentStatus, trial, now, pendingReports, freeSettings },
  act,
}: {
  readonly overview: Overview;
  readonly act: Act;
}): JSX.Element {
  const [withdrawnAt, setWithdrawnAt] = useState<number | null>(null);
  const isPast = trial !== null && isOver(trial, now);
  const isAgreed = consentStatus !== 'unanswered' && consentStatus !== 'declined';
  return (
    <Card title={t('consent_card')}>
      {withdrawnAt !== null && !isAgreed && <Withdrawn at={withdrawnAt} />}
      {freeSettings !== null && trial !== null && (
        <p>{rich('trial_locked', { title: <TrialTitle of={trial} /> })}</p>
      )}
      {isAgreed ? (
        <>
          <p>{rich('consent_notice_agreed', { link: (parts) => <a href="consent.html">{parts}</a> })}</p>
          <Withdraw
            pendingReports={pendingReports}
            act={act}
            onWithdrawn={() => setWithdrawnAt(Date.now())}
          />
        </>
      ) : isPast ? (
        <p>
          {t('asked_off_over', { time: showTime(trial.end) })}{' '}
          <a href="consent.html">{t('consent_notice_more')}</a>
        </p>
      ) : (
        <p>
          {t(consentStatus === 'declined' ? 'consent_notice_declined' : 'consent_notice_unanswered')}{' '}
          <a href="consent.html">{t('consent_notice_answer')}</a>
        </p>
      )}
      {freeSettings === null && (
        <p>
          <a href="consent.html">{t('trial_choose')}</a>
        </p>
      )}
    </Card>
  );
}
