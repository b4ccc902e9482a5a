import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DebugSettings } from '../../../formats/settings/settings';
import { ask, changeSettings } from '../state/ask';
import { rich, t } from '../../i18n';
import { useSession } from '../state/session';
import { showExactTime } from '../words/words';
import { Card } from '../ui/basics';
import { ClockControls } from '../ui/clock-controls';
import { Checkbox } from '../../../ui/checkbox';

/** Only a person can switch on debug mode, here or among the options. */
export function DebugView(): JSX.Element {
  const { settings, act, snapshot } = useSession();
  if (snapshot !== null) return <p class="banner info">{t('debug_file_open')}</p>;
  const { debug } = settings;
  const change = (changed: Partial<DebugSettings>): void => act(() => changeSettings({ debug: changed }));
  return (
    <>
      <h1>{t('settings_debug_enabled_title')}</h1>
      <Card>
        <Checkbox
          id="debug-enabled"
          checked={debug.enabled}
          onChange={(checked) => change({ enabled: checked })}
        >
          <strong>{t('settings_debug_enabled_title')}</strong>
        </Checkbox>
        <p class="soft">{t('debug_what')}</p>
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
    <Card title={t('overview_clock')}>
      <p>{rich('debug_clock_shows', { time: <strong id="clock">{showExactTime(overview.now)}</strong> })}</p>
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
    ['noise', t('settings_debug_noise_title'), t('debug_noise_what')],
    ['delay', t('settings_debug_delay_title'), t('debug_delay_what')],
    ['debugReports', t('settings_debug_reports_title'), t('debug_reports_what')],
    ['privateNetworks', t('debug_private_networks'), t('debug_private_networks_what')],
  ] as const;
  return (
    <Card title={t('debug_switches')}>
      {boxes.map(([name, title, meaning]) => (
        <Checkbox
          key={name}
          class="setting-line"
          id={`debug-${name}`}
          checked={debug[name]}
          onChange={(checked) => onChange({ [name]: checked })}
        >
          <span>
            <strong>{title}</strong> <span class="soft">{meaning}</span>
          </span>
        </Checkbox>
      ))}
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          onChange({ seed: seed === '' ? null : seed });
        }}
      >
        <label for="debug-seed">{t('settings_debug_seed_title')}</label>
        <input
          id="debug-seed"
          value={seed}
          maxLength={200}
          placeholder={t('debug_no_seed')}
          spellcheck={false}
          onInput={({ currentTarget }) => setSeed(currentTarget.value)}
        />
        <button type="submit" id="save-seed" disabled={seed === (debug.seed ?? '')}>
          {t('debug_use_seed')}
        </button>
        <span class="soft">{t('debug_seed_what')}</span>
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
    <Card title={t('debug_force')}>
      <p class="soft">{t('debug_force_what')}</p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (isValid) act(() => ask({ kind: 'force-state', state }));
        }}
      >
        <label for="force-state">{t('states_field')}</label>
        <input
          id="force-state"
          inputMode="numeric"
          value={state}
          aria-invalid={state !== '' && !isValid}
          onInput={({ currentTarget }) => setState(currentTarget.value.trim())}
        />
        <button type="submit" id="force" disabled={!isValid}>
          {t('debug_force_button')}
        </button>
        {forcedState !== null && (
          <button type="button" onClick={() => act(() => ask({ kind: 'force-state', state: null }))}>
            {t('debug_do_not_force', { state: forcedState })}
          </button>
        )}
      </form>
    </Card>
  );
}

function Sending(): JSX.Element {
  const { overview, act } = useSession();
  return (
    <Card title={t('debug_sending')}>
      <p class="soft">{t('debug_pending', { n: overview.pendingReports })}</p>
      <div class="row">
        <button
          type="button"
          id="send-pending"
          disabled={overview.pendingReports === 0}
          onClick={() => act(() => ask({ kind: 'send-pending' }))}
        >
          {t('debug_send_all')}
        </button>
        <button type="button" id="send-due" onClick={() => act(() => ask({ kind: 'send-due' }))}>
          {t('debug_send_due')}
        </button>
      </div>
    </Card>
  );
}
