import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { LogEntry } from '../../../src/model/decision';
import type { Draft } from '../explain/workbench';
import { ask } from '../lib/ask';
import { routeTo } from '../lib/route';
import { useSession } from '../lib/session';
import { Card } from '../ui/basics';

/** In debug mode, registers what is on the workbench as if a page had. */
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
    return (
      <p class="banner info">
        In <a href="#/debug">debug mode</a> it can be registered here, to see what becomes of it.
      </p>
    );
  const register = async (): Promise<void> => {
    const entry = await ask({
      kind: 'register',
      register: draft.as,
      header: draft.text,
      contextOrigin,
      reportingOrigin: origin,
    });
    setDone(entry as Pick<LogEntry, 'id' | 'kind'>);
  };
  return (
    <Card title="Register it here">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          act(register);
        }}
      >
        <div class="row">
          <label for="register-page">
            {side === 'source' ? 'Page with the ad' : 'Page of the conversion'}
          </label>
          <input
            id="register-page"
            value={contextOrigin}
            onInput={({ currentTarget }) => setPage({ ...page, [side]: currentTarget.value.trim() })}
          />
        </div>
        <div class="row">
          <label for="register-origin">Reporting origin</label>
          <input
            id="register-origin"
            value={origin}
            onInput={({ currentTarget }) => setOrigin(currentTarget.value.trim())}
          />
        </div>
        <div class="row">
          <button type="submit" class="primary" id="register">
            {isValid ? 'Register' : 'Register all the same'}
          </button>
          {done !== null && (
            <span role="status">
              Registered: <a href={routeTo(['log', done.id])}>log entry {done.id}</a>
            </span>
          )}
        </div>
      </form>
    </Card>
  );
}
