import type { JSX } from 'preact';
import type { Overview } from '../../../messages';
import { changeSettings } from '../../state/ask';
import type { Act } from '../../state/use-act';
import { rich, t } from '../../../i18n';
import { Card } from '../../ui/basics';
import { linkTo } from '../../ui/tags';

/** What to do once Cointoss records, outside a trial. */
export function NextSteps({
  overview: { debugEnabled },
  act,
}: {
  readonly overview: Overview;
  readonly act: Act;
}): JSX.Element {
  return (
    <Card title={t('next_title')}>
      <ol id="next-steps">
        <li>{t('next_visit')}</li>
        <li>{rich('next_look', { link: linkTo('internals.html#/requests') })}</li>
        <li>
          {debugEnabled ? t('next_turn_clock') : t('next_debug')}{' '}
          {!debugEnabled && (
            <button
              type="button"
              id="switch-debug-on"
              onClick={() => act(() => changeSettings({ debug: { enabled: true } }))}
            >
              {t('next_debug_on')}
            </button>
          )}
        </li>
      </ol>
    </Card>
  );
}
