import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DebugSettings } from '../../../src/model/settings';
import { ask, changeSettings } from '../lib/ask';
import { useSession } from '../lib/session';
import { count, showExactTime } from '../lib/words';
import { Card } from '../ui/basics';
import { ClockControls } from '../ui/clock-controls';

/** Debug mode, which only a person switches on, and only here (or among the options). */
export function DebugView(): JSX.Element {
  const { settings, act, snapshot } = useSession();
  if (snapshot !== null) return <p class="banner info">A file is open; nothing of it can be changed.</p>;
  const { debug } = settings;
  const change = (changed: Partial<DebugSettings>): void => act(() => changeSettings({ debug: changed }));
  return (
    <>
      <h1>Debug mode</h1>
      <Card>
        <label class="row">
          <input
            type="checkbox"
            id="debug-enabled"
            checked={debug.enabled}
            onChange={({ currentTarget }) => change({ enabled: currentTarget.checked })}
          />
          <strong>Debug mode</strong>
        </label>
        <p class="soft">
          Shows what randomized response protects, and lets you turn the clock and switch off noise and delay.
          While anything differs from production, every page and every log entry says so.
        </p>
      </Card>
      {debug.enabled && (
        <>
          <Clock />
          <Switches debug={debug} onChange={change} />
          <Forcing />
          <Sending />
        </>
      )}
    </>
  );
}

function Clock(): JSX.Element {
  const { overview, act } = useSession();
  return (
    <Card title="Clock">
      <p>
        Cointoss's clock shows <strong id="clock">{showExactTime(overview.now)}</strong>. Windows, expiry and
        retries follow it. Turning it forward sends what has become due.
      </p>
      <ClockControls overview={overview} act={act} />
    </Card>
  );
}

function Switches({
  debug,
  onChange,
}: {
  readonly debug: DebugSettings;
  readonly onChange: (changed: Partial<DebugSettings>) => void;
}): JSX.Element {
  const [seed, setSeed] = useState(debug.seed ?? '');
  const boxes = [
    ['noise', 'Noise', 'Off: every new source reports the truth.'],
    ['delay', 'Delay', 'Off: new reports leave at once instead of when their window closes.'],
    [
      'debugReports',
      'Debug reports',
      'On: reporting origins may get debug reports, as with third-party cookies in Chrome.',
    ],
  ] as const;
  return (
    <Card title="Noise, delay and seed">
      {boxes.map(([name, title, meaning]) => (
        <label key={name} class="setting-line">
          <input
            type="checkbox"
            id={`debug-${name}`}
            checked={debug[name]}
            onChange={({ currentTarget }) => onChange({ [name]: currentTarget.checked })}
          />
          <span>
            <strong>{title}</strong> <span class="soft">{meaning}</span>
          </span>
        </label>
      ))}
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          onChange({ seed: seed === '' ? null : seed });
        }}
      >
        <label for="debug-seed">Seed</label>
        <input
          id="debug-seed"
          value={seed}
          maxLength={200}
          placeholder="none: real randomness"
          spellcheck={false}
          onInput={({ currentTarget }) => setSeed(currentTarget.value)}
        />
        <button type="submit" id="save-seed" disabled={seed === (debug.seed ?? '')}>
          Use
        </button>
        <span class="soft">With the same seed and the same registrations, the same noise is drawn.</span>
      </form>
    </Card>
  );
}

function Forcing(): JSX.Element {
  const { overview, act } = useSession();
  const [state, setState] = useState('');
  const isValid = /^\d{1,40}$/.test(state);
  const { forcedState } = overview;
  return (
    <Card title="Force a state">
      <p class="soft">
        The next source that has a state of this number gets it as its output, instead of what randomized
        response would draw. The States page of any source shows which number stands for what.
      </p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (isValid) act(() => ask({ kind: 'force-state', state }));
        }}
      >
        <label for="force-state">State</label>
        <input
          id="force-state"
          inputMode="numeric"
          value={state}
          aria-invalid={state !== '' && !isValid}
          onInput={({ currentTarget }) => setState(currentTarget.value.trim())}
        />
        <button type="submit" id="force" disabled={!isValid}>
          Force
        </button>
        {forcedState !== null && (
          <button type="button" onClick={() => act(() => ask({ kind: 'force-state', state: null }))}>
            Do not force {forcedState}
          </button>
        )}
      </form>
    </Card>
  );
}

function Sending(): JSX.Element {
  const { overview, act } = useSession();
  return (
    <Card title="Sending">
      <p class="soft">
        {count(overview.pendingReports, 'report')} waiting. Sending them now does not change what they say of
        their schedule. One alone is sent from its own page.
      </p>
      <div class="row">
        <button
          type="button"
          id="send-pending"
          disabled={overview.pendingReports === 0}
          onClick={() => act(() => ask({ kind: 'send-pending' }))}
        >
          Send all now
        </button>
        <button type="button" id="send-due" onClick={() => act(() => ask({ kind: 'send-due' }))}>
          Send what is due
        </button>
      </div>
    </Card>
  );
}
