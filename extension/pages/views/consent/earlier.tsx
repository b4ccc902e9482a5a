import type { JSX } from 'preact';
import { forReader, rich, t } from '../../../i18n';
import type { Participation } from '../../state/use-participation';
import { Foreign } from '../../ui/foreign';

/** What happens to the trial that goes on, and to existing records. */
export function Earlier({
  shown: {
    view: { offer, hadAgreed, acceptingErases },
    agreed,
    overview: { sources, pendingReports: reports },
  },
  isPast,
}: {
  readonly shown: Participation;
  /** Whether the trial is over, so that nobody can accept it. */
  readonly isPast: boolean;
}): JSX.Element | null {
  const isEmpty = sources === 0 && reports === 0;
  const leaves = offer !== null && agreed !== null && acceptingErases;
  if (!hadAgreed && !leaves && (isEmpty || (offer !== null && !acceptingErases))) return null;
  const kept = (): string | null => {
    if (isEmpty) return null;
    if (offer !== null && !acceptingErases) return null;
    if (isPast) return hadAgreed ? null : t('asked_kept_over', { sources, reports });
    if (acceptingErases) return t('consent_erases', { sources, reports });
    return hadAgreed ? null : t('consent_kept', { sources, reports });
  };
  const words = kept();
  return (
    <div class="banner stack" id="earlier">
      {hadAgreed && <p>{t('consent_what_changed')}</p>}
      {leaves && (
        <p id="leaves">{rich('asked_leaves', { title: <Foreign {...forReader(agreed.trial.title)} /> })}</p>
      )}
      {words !== null && <p>{words}</p>}
    </div>
  );
}
