import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { defaultSettings } from '../../../src/model/settings';
import type { Standing, Trial } from '../../../src/model/trial';
import { parseTrial } from '../../../src/settings/parse-trial';
import type { Overview, ParticipationMessage, ParticipationView } from '../../messages';
import { askOverview, askParticipation } from '../lib/ask';
import { t } from '../../i18n';
import { messageOf, showTime } from '../lib/words';
import { Banner } from '../ui/banner';
import { Withdraw } from '../ui/withdraw';
import { ConsentTerms } from './consent-terms';
import { TrialCard } from './trial-card';
import { TrialChooser } from './trial-chooser';

const REFRESH = 2000;

interface Shown {
  readonly view: ParticipationView;
  readonly trial: Trial | null;
  readonly overview: Overview;
}

/** What Cointoss asks before it does anything, in plain words; afterwards, what was agreed to, and the way out. */
export function Consent({ link }: { readonly link: string }): JSX.Element | null {
  const [shown, setShown] = useState<Shown | null>(null);
  const [problem, setProblem] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const refresh = useCallback(async () => {
    const [view, overview] = await Promise.all([
      askParticipation({ kind: 'get-participation' }),
      askOverview(),
    ]);
    const trial = view.trial === null ? null : parseTrial(view.trial).value;
    setShown({ view, trial, overview });
  }, []);
  const act = useCallback(
    (action: () => Promise<unknown>): void => {
      setIsBusy(true);
      action()
        .then(refresh)
        .then(() => setProblem(''))
        .catch((error: unknown) => setProblem(messageOf(error)))
        .finally(() => setIsBusy(false));
    },
    [refresh],
  );
  useEffect(() => {
    act(() => Promise.resolve());
    // What is shown must be what is answered to, also when policy changes it.
    const timer = setInterval(() => void refresh().catch(() => undefined), REFRESH);
    return () => clearInterval(timer);
  }, [act, refresh]);
  if (shown === null) return problem === '' ? null : <p class="banner error">{problem}</p>;
  const { view, trial, overview } = shown;
  const isAgreed = view.acceptedAt !== null;
  return (
    <main class="consent">
      <header class="stack">
        <p class="row brand">
          <img src="../icons/48.png" width="26" height="26" alt="" /> {t('extensionName')}
        </p>
        <h1>{heading(view, trial)}</h1>
        <Status view={view} overview={overview} />
        <Banner overview={overview} />
      </header>
      {view.problem !== null && (
        <p class="banner error" id="trial-problem">
          {t('trial_problem', { problem: view.problem })}
        </p>
      )}
      {trial !== null && <TrialCard trial={trial} isManaged={view.managed} />}
      <ConsentTerms trial={trial} settings={trial?.settings ?? defaultSettings} />
      <Earlier view={view} overview={overview} />
      <p class="banner error" id="problem" role="alert" hidden={problem === ''}>
        {problem}
      </p>
      {isAgreed ? (
        <Withdraw pendingReports={overview.pendingReports} act={act} />
      ) : (
        <Answers view={view} trial={trial} isBusy={isBusy} act={act} />
      )}
      {!view.managed && (
        <TrialChooser
          link={link}
          isInTrial={isAgreed && trial !== null && view.standing !== 'ended'}
          act={act}
        />
      )}
    </main>
  );
}

function heading(
  { standing, acceptedAt, hadAgreed, acceptingErases }: ParticipationView,
  trial: Trial | null,
): string {
  if (trial === null) return acceptedAt === null ? t('consent_may_it') : t('consent_you_agreed');
  if (standing === 'ended') return t('consent_trial_over');
  if (acceptedAt !== null) return t('consent_you_take_part');
  return hadAgreed && !acceptingErases ? t('consent_has_changed') : t('consent_take_part');
}

function Status({
  view: { standing, acceptedAt },
  overview,
}: {
  readonly view: ParticipationView;
  readonly overview: Overview;
}): JSX.Element {
  return (
    <p
      class={`banner ${standing === 'recording' && !overview.paused ? 'info' : ''}`}
      role="status"
      id="standing"
      data-standing={standing}
    >
      {statusWords(standing, overview)}{' '}
      {acceptedAt !== null && t('consent_agreed_at', { time: showTime(acceptedAt) })}{' '}
      {standing === 'ended' && t('consent_still_waiting', { count: overview.pendingReports })}
    </p>
  );
}

function statusWords(standing: Standing, { trial, paused }: Overview): string {
  switch (standing) {
    case 'unanswered':
      return t('consent_off_unanswered');
    case 'declined':
      return t('consent_off_declined');
    case 'not-started':
      return t('consent_off_until', { time: showTime(trial?.start ?? 0) });
    case 'recording':
      return paused ? t('consent_paused') : t('consent_on');
    case 'ended':
      return t('consent_ended', { time: showTime(trial?.end ?? 0) });
  }
}

/** What becomes of what is there already. */
function Earlier({
  view: { acceptedAt, hadAgreed, acceptingErases },
  overview: { sources, pendingReports: reports },
}: {
  readonly view: ParticipationView;
  readonly overview: Overview;
}): JSX.Element | null {
  if (acceptedAt !== null) return null;
  const isEmpty = sources === 0 && reports === 0;
  if (!hadAgreed && isEmpty) return null;
  return (
    <div class="banner stack" id="earlier">
      {hadAgreed && <p>{t('consent_what_changed')}</p>}
      {!isEmpty &&
        (acceptingErases ? (
          <p>{t('consent_erases', { sources, reports })}</p>
        ) : (
          !hadAgreed && <p>{t('consent_kept', { sources, reports })}</p>
        ))}
    </div>
  );
}

function Answers({
  view: { trial: document, standing, problem, managed, hadAgreed },
  trial,
  isBusy,
  act,
}: {
  readonly view: ParticipationView;
  readonly trial: Trial | null;
  /** Whether an answer is under way, which a second click must not follow. */
  readonly isBusy: boolean;
  readonly act: (action: () => Promise<unknown>) => void;
}): JSX.Element {
  const answer = (message: ParticipationMessage) => (): void => act(() => askParticipation(message));
  const staysAsAgreed = hadAgreed && !managed && document !== null;
  return (
    <div class="row answers">
      <button
        type="button"
        class="primary"
        id="accept"
        disabled={isBusy || problem !== null}
        onClick={answer({ kind: 'accept', trial: document })}
      >
        {trial === null ? t('consent_accept') : t('consent_accept_trial')}
      </button>
      {standing !== 'declined' && (
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
          class="plain"
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
