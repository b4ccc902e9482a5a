import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { LogEntry } from '../../../../src/model/decision';
import type { Draft } from '../../explain/workbench';
import { ask } from '../../state/ask';
import { rich, t } from '../../../i18n';
import { routeTo } from '../../state/route';
import { useSession } from '../../state/session';
import { Card } from '../../ui/basics';
import { linkTo } from '../../ui/tags';

/** In debug mode, registers the workbench's draft as if a page had sent it. */
export function RegisterHere({
  draft,
  isValid,
}: {
  readonly draft: Draft;
  readonly isValid: boolean;
}): JSX.Element | null {
  const { overview, snapshot, act } = useSession();
  const [page, setPage] = useState<Record<string, string>>({});
  const [origin, setOrigin] = useState('https://adtech.example');
  const [done, setDone] = useState<Pick<LogEntry, 'id' | 'kind'> | null>(null);
  if (snapshot !== null) return null;
  const side = draft.as === 'trigger' ? 'destination' : 'source';
  const contextOrigin = page[side] ?? (side === 'source' ? 'https://news.example' : 'https://shop.example');
  if (!overview.debugEnabled)
    return <p class="banner info">{rich('register_needs_debug_mode', { link: linkTo('#/debug') })}</p>;
  const register = async (): Promise<void> => {
    const entry = await ask({
      kind: 'register',
      register: draft.as,
      header: draft.text,
      contextOrigin,
      reportingOrigin: origin,
    });
    setDone(entry);
  };
  return (
    <Card title={t('register_title')}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          act(register);
        }}
      >
        <div class="row">
          <label for="register-page">
            {t(side === 'source' ? 'register_page_of_ad' : 'register_page_of_conversion')}
          </label>
          <input
            id="register-page"
            value={contextOrigin}
            onInput={({ currentTarget }) => setPage({ ...page, [side]: currentTarget.value.trim() })}
          />
        </div>
        <div class="row">
          <label for="register-origin">{t('tables_column_reporting_origin')}</label>
          <input
            id="register-origin"
            value={origin}
            onInput={({ currentTarget }) => setOrigin(currentTarget.value.trim())}
          />
        </div>
        <div class="row">
          <button type="submit" class="primary" id="register">
            {t(isValid ? 'register_button' : 'register_anyway')}
          </button>
          {done !== null && (
            <span role="status">
              {rich('register_done', { id: done.id, link: linkTo(routeTo(['log', done.id])) })}
            </span>
          )}
        </div>
      </form>
    </Card>
  );
}
