import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { SourceRegistration } from '../../../src/model/registration';
import type { ReportSpace } from '../../../src/states/report-space';
import { rich, t } from '../../i18n';
import { Card } from './basics';
import { SummaryBuckets } from './summary-buckets';
import { StateLegend, StatePicture, type MarkedState } from './state-picture';

interface StateChooserProps {
  readonly space: ReportSpace;
  /** The chosen state: less than `space.states`. */
  readonly number: bigint;
  readonly onChange: (number: bigint) => void;
}

/** A registration's states, one of which is chosen by number or picture. Others may be marked in the same picture. */
export const StateChooser = ({
  registration,
  marked = [],
  ...chosen
}: StateChooserProps & {
  readonly registration: SourceRegistration;
  readonly marked?: readonly MarkedState[];
}): JSX.Element => (
  <Card title={t('states_title')}>
    <p>
      {rich('states_what', {
        states: <strong id="states">{String(chosen.space.states)}</strong>,
        most: registration.maxEventLevelReports,
      })}
    </p>
    <NumberField {...chosen} />
    <StatePicture
      registration={registration}
      state={chosen.space.decode(chosen.number)}
      marked={marked}
      label={t('states_state', { number: String(chosen.number) })}
      onChange={(changed) => chosen.onChange(chosen.space.encode(changed))}
    />
    {marked.length > 0 && <StateLegend marked={marked} onPick={chosen.onChange} />}
    {registration.flexible && <SummaryBuckets registration={registration} />}
  </Card>
);

function NumberField({ space, number, onChange }: StateChooserProps): JSX.Element {
  const [problem, setProblem] = useState('');
  const change = (text: string): void => {
    const trimmed = text.trim();
    if (!/^\d+$/.test(trimmed) || BigInt(trimmed) >= space.states) {
      setProblem(t('states_bad_number', { last: String(space.states - 1n) }));
      return;
    }
    setProblem('');
    onChange(BigInt(trimmed));
  };
  const step = (by: bigint): void => {
    setProblem('');
    onChange((number + by + space.states) % space.states);
  };
  return (
    <div class="row">
      <label for="state-number">{t('states_field')}</label>
      <input
        id="state-number"
        inputMode="numeric"
        size={Math.max(6, String(space.states).length)}
        value={String(number)}
        aria-invalid={problem !== ''}
        aria-describedby="state-problem"
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
      <button type="button" onClick={() => step(-1n)} aria-label={t('states_previous')}>
        −
      </button>
      <button type="button" onClick={() => step(1n)} aria-label={t('states_next')}>
        +
      </button>
      <span id="state-problem" class="bad" role="alert">
        {problem}
      </span>
    </div>
  );
}
