import type { JSX } from 'preact';
import type { Overview } from '../../../src/messages';
import { t } from '../../i18n';
import { bannerText } from '../lib/words';

/** Says on every page what is not as in production. */
export function Banner({
  overview: { differences, clockAhead },
}: {
  readonly overview: Pick<Overview, 'differences' | 'clockAhead'>;
}): JSX.Element | null {
  if (differences.length === 0) return null;
  return (
    <p class="banner" role="status">
      <span class="soft">{t('ui_banner')} </span>
      <span id="banner">{bannerText(differences, clockAhead)}</span>
    </p>
  );
}
