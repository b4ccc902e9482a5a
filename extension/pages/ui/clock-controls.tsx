import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Overview } from '../../messages';
import { ask } from '../state/ask';
import { t } from '../../i18n';
import { showDuration } from '../words/words';
import { Select } from '../../../ui/select';

const HOUR = 3_600_000;
const units = [
  [t('ui_clock_minutes'), 60_000],
  [t('ui_clock_hours'), HOUR],
  [t('settings_period_placeholder'), 24 * HOUR],
] as const;

/** Turns the test clock: by any time, to the next window or report, or back. */
export function ClockControls({
  overview,
  act,
  compact = false,
}: {
  readonly overview: Overview;
  readonly act: (action: () => Promise<unknown>) => void;
  readonly compact?: boolean;
}): JSX.Element {
  const { nextReportTime } = overview;
  const advance = (by: number | 'next-report' | 'next-window') => (): void =>
    act(() => ask({ kind: 'advance-clock', by }));
  return (
    <div class="stack">
      <div class="row">
        <button type="button" data-advance={HOUR} onClick={advance(HOUR)}>
          {showDuration(HOUR)}
        </button>
        <button type="button" data-advance={24 * HOUR} onClick={advance(24 * HOUR)}>
          {showDuration(24 * HOUR)}
        </button>
        {!compact && (
          <button
            type="button"
            id="next-window"
            disabled={overview.sources === 0}
            onClick={advance('next-window')}
          >
            {t('ui_clock_next_window')}
          </button>
        )}
        <button
          type="button"
          class="primary"
          data-advance="next-report"
          disabled={nextReportTime === null}
          onClick={advance('next-report')}
        >
          {t('ui_clock_next_report')}
        </button>
        <button
          type="button"
          id="reset-clock"
          disabled={overview.clockAhead === 0}
          onClick={() => act(() => ask({ kind: 'reset-clock' }))}
        >
          {t('ui_clock_back')}
        </button>
      </div>
      {!compact && <AnyTime advance={(by) => advance(by)()} />}
    </div>
  );
}

/** A hundred years, the most that the background allows. */
const MOST = 100 * 365.25 * 24 * HOUR;

function AnyTime({ advance }: { readonly advance: (by: number) => void }): JSX.Element {
  const [amount, setAmount] = useState('7');
  const [unit, setUnit] = useState(String(24 * HOUR));
  const by = Number(amount) * Number(unit);
  const isValid = amount.trim() !== '' && by > 0 && by <= MOST;
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (isValid) advance(by);
      }}
    >
      <label for="advance-amount">{t('ui_clock_forward')}</label>
      <input
        id="advance-amount"
        size={6}
        inputMode="decimal"
        value={amount}
        aria-invalid={!isValid}
        onInput={({ currentTarget }) => setAmount(currentTarget.value)}
      />
      <Select
        id="advance-unit"
        aria-label={t('ui_clock_unit')}
        of={units.map(([name, size]) => [String(size), name])}
        value={unit}
        onChoose={setUnit}
      />
      <button type="submit" id="advance-any" disabled={!isValid}>
        {t('ui_clock_turn')}
      </button>
    </form>
  );
}
