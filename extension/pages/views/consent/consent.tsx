import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { defaultSettings } from '../../../../formats/settings/settings';
import { isOver } from '../../../consent/agreement';
import { t } from '../../../i18n';
import { invitationIn, linkOfPage } from '../../state/trial-link';
import { budgetsShown } from '../../state/budgets-shown';
import { useParticipation } from '../../state/use-participation';
import { Banner } from '../../ui/banner';
import { Withdraw, Withdrawn } from '../../ui/withdraw';
import { liveReader } from '../../data/live-reader';
import type { Reader } from '../../data/reader';
import { messageOf } from '../../words/words';
import { EarlierLimits } from '../earlier-limits';
import { Answers } from './answers';
import { Earlier } from './earlier';
import { ConsentHeading, ConsentStatus } from './status';
import { ConsentTerms } from './terms';
import { Invitation } from './invitation';
import { NextSteps } from './next-steps';
import { TrialCard } from './trial-card';
import { TrialChooser } from './trial-chooser';
import { TrialComparison } from './trial-comparison';

/**
 * Asks for consent in plain words before Cointoss does anything. Later it shows what was agreed to, and how to withdraw. If a page asks
 * the person to look at a trial, they answer that first.
 */
export function Consent(): JSX.Element | null {
  const { shown, problem, isBusy, act } = useParticipation();
  const [invitation, setInvitation] = useState(linkOfPage);
  const [code, setCode] = useState(() => invitationIn(linkOfPage()));
  const [withdrawnAt, setWithdrawnAt] = useState<number | null>(null);
  useEffect(() => {
    const follow = (): void => {
      setInvitation(linkOfPage());
      setCode(invitationIn(linkOfPage()));
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const [reader, setReader] = useState<Reader | null>(null);
  useEffect(() => {
    liveReader().then(setReader, (error: unknown) => act(() => Promise.reject(new Error(messageOf(error)))));
  }, [act]);
  const heading = useRef<HTMLHeadingElement>(null);
  if (shown === null) return problem === '' ? null : <p class="banner error">{problem}</p>;
  const { view, trial, asked, agreed, overview } = shown;
  const isAgreed = view.acceptedAt !== null;
  const isInvited = invitation !== '' && !view.managed;
  /** Whether there is something to answer: a trial that the person looks at, or the question whether Cointoss may record. */
  const isAsked = !isInvited && (view.offer !== null || !isAgreed);
  /** Whether it would end the trial that goes on. That comes first, because another trial may look like it. */
  const isLeaving = isAsked && agreed !== null && view.offer?.relation === 'another';
  const subject = isAsked ? asked : { trial, signer: view.signer };
  // What only ends earlier can be agreed to afterwards, too.
  const isPast =
    subject.trial !== null && isOver(subject.trial, overview.now) && view.offer?.relation !== 'shortened';
  /** Called after the person has looked at or dismissed the trial. The rest is read from the top. */
  const endInvitation = (): void => {
    setInvitation('');
    // With the link in the address, a reload would ask again.
    history.replaceState(null, '', location.pathname);
    scrollTo(0, 0);
    heading.current?.focus();
  };
  const problemBanner = (
    <p class="banner error" id="problem" role="alert" hidden={problem === ''}>
      {problem}
    </p>
  );
  return (
    <main class="consent">
      <header class="stack">
        <p class="row brand">
          <img src="../icons/48.png" width="26" height="26" alt="" /> {t('extensionName')}
        </p>
        <p id="what-it-is">{t('consent_what_it_is')}</p>
        <h1 ref={heading} tabIndex={-1}>
          <ConsentHeading shown={shown} isInvited={isInvited} />
        </h1>
        {withdrawnAt !== null && !isAgreed && <Withdrawn at={withdrawnAt} />}
        <ConsentStatus shown={shown} />
        <Banner overview={overview} />
      </header>
      {trial === null && !isAsked && view.consentStatus === 'recording' && (
        <NextSteps overview={overview} act={act} />
      )}
      {isInvited && <Invitation link={invitation} isBusy={isBusy} act={act} onEnd={endInvitation} />}
      {isInvited && problemBanner}
      {(isAgreed || !isInvited) && (
        <>
          {view.problem !== null && (
            <p class="banner error" id="trial-problem">
              {isAgreed ? view.problem : t('trial_problem', { problem: view.problem })}
            </p>
          )}
          {isLeaving && <Earlier shown={shown} isPast={isPast} />}
          {isAsked && agreed !== null && asked.trial !== null && (
            <TrialComparison
              agreed={agreed}
              offered={{ trial: asked.trial, signer: asked.signer }}
              isRunning={isAgreed}
            />
          )}
          {subject.trial !== null && (
            <TrialCard
              trial={subject.trial}
              signer={subject.signer}
              acceptedAt={isAsked ? null : view.acceptedAt}
              isManaged={view.managed}
            />
          )}
          {(isAgreed || !isPast) && (
            <ConsentTerms
              trial={subject.trial}
              settings={subject.trial?.settings ?? defaultSettings}
              budgets={budgetsShown(shown, isAsked)}
              earlier={
                <EarlierLimits
                  reader={reader}
                  now={overview.now}
                  limits={(subject.trial?.settings ?? defaultSettings).limits}
                  act={act}
                />
              }
            />
          )}
          {isAsked && !isLeaving && <Earlier shown={shown} isPast={isPast} />}
          {!isInvited && problemBanner}
          {isAsked ? (
            <Answers shown={shown} isPast={isPast} isBusy={isBusy} act={act} code={code} onCode={setCode} />
          ) : (
            <Withdraw
              pendingReports={overview.pendingReports}
              act={act}
              onWithdrawn={() => setWithdrawnAt(Date.now())}
            />
          )}
        </>
      )}
      {!view.managed && !isInvited && (
        <TrialChooser
          isInTrial={isAgreed && trial !== null && view.consentStatus !== 'ended'}
          act={act}
          onOffered={(link) => {
            setCode(invitationIn(link));
            endInvitation();
          }}
        />
      )}
    </main>
  );
}
