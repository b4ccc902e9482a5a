import type { JSX } from 'preact';
import { t } from '../../i18n';
import type { Participation } from '../lib/use-participation';

/** What happens to existing records. */
export function Earlier({
  shown: {
    view: { acceptedAt, hadAgreed, acceptingErases },
    overview: { sources, pendingReports: reports },
  },
  isPast,
}: {
  readonly shown: Participation;
  /** Whether the trial is over, so that nobody can accept it. */
  readonly isPast: boolean;
}): JSX.Element | null {
  if (acceptedAt !== null) return null;
  const isEmpty = sources === 0 && reports === 0;
  if (!hadAgreed && isEmpty) return null;
  const kept = (): string | null => {
    if (isEmpty) return null;
    if (isPast) return hadAgreed ? null : t('asked_kept_over', { sources, reports });
    if (acceptingErases) return t('consent_erases', { sources, reports });
    return hadAgreed ? null : t('consent_kept', { sources, reports });
  };
  const words = kept();
  return (
    <div class="banner stack" id="earlier">
      {hadAgreed && <p>{t('consent_what_changed')}</p>}
      {words !== null && <p>{words}</p>}
    </div>
  );
}
