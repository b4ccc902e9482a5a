import type { JSX } from 'preact';
import type { Overview } from '../../messages';
import { t } from '../../i18n';
import { differenceWords } from '../words/words';

/** Shows on every page what differs from production. */
export function Banner({
  overview: { differences },
}: {
  readonly overview: Pick<Overview, 'differences'>;
}): JSX.Element | null {
  if (differences.length === 0) return null;
  return (
    <p class="banner" role="status">
      <span class="soft">{t('ui_banner')} </span>
      <span id="banner">{differences.map(differenceWords).join(' · ')}</span>
    </p>
  );
}
