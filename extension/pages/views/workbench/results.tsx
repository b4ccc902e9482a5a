import type { JSX } from 'preact';
import type { Issue } from '../../../../formats/codec/mistakes';
import type { SourceRegistration } from '../../../../src/model/registration';
import { t } from '../../../i18n';
import { words } from '../../../words';
import type { Figures, Knob } from '../../explain/workbench';
import { showDecimal } from '../../words/words';
import { Card } from '../../ui/basics';

/** The figures of a source, and the knobs that change them. */
export function Results({
  source,
  figures,
  beyond,
  onTurn,
}: {
  readonly source: SourceRegistration;
  readonly figures: Figures;
  /** The limit that the source passes, if any. */
  readonly beyond: Issue | null;
  readonly onTurn: (knob: Knob, value: number) => void;
}): JSX.Element {
  const { states, rate, bits, maxBits, largestEpsilon } = figures;
  return (
    <Card title={t('workbench_results')}>
      <dl class="switches">
        <div>
          <dt>{t('tables_column_states')}</dt>
          <dd id="figure-states">{String(states)}</dd>
        </div>
        <div>
          <dt>{t('tables_column_rate')}</dt>
          <dd id="figure-rate">{showDecimal(rate)}</dd>
        </div>
        <div>
          <dt>{t('source_capacity')}</dt>
          <dd id="figure-bits" class={bits <= maxBits ? undefined : 'bad'}>
            {t('source_bits', { bits: showDecimal(bits) })}
          </dd>
        </div>
        <div>
          <dt>{t('workbench_largest_epsilon')}</dt>
          <dd id="figure-epsilon">{showDecimal(largestEpsilon)}</dd>
        </div>
      </dl>
      <div
        class={bits <= maxBits ? 'meter' : 'meter over'}
        role="meter"
        aria-label={t('source_capacity')}
        aria-valuemin={0}
        aria-valuemax={maxBits}
        aria-valuenow={Math.min(bits, maxBits)}
        aria-valuetext={t('workbench_bits_of', { bits, most: showDecimal(maxBits) })}
      >
        <span style={{ width: `${Math.min(100, (bits / maxBits) * 100)}%` }} />
      </div>
      {beyond === null ? (
        <p class="small soft">{t('workbench_fits', { most: showDecimal(maxBits) })}</p>
      ) : (
        <p class="bad" id="beyond-limit">
          {t('workbench_beyond', { problem: words.mistakeText(beyond) })}
        </p>
      )}
      <Sliders source={source} onTurn={onTurn} />
    </Card>
  );
}

function Sliders({
  source,
  onTurn,
}: {
  readonly source: SourceRegistration;
  readonly onTurn: (knob: Knob, value: number) => void;
}): JSX.Element {
  const [first] = source.triggerSpecs;
  const sliders: readonly (readonly [Knob, string, number, number, number, number])[] = [
    ['epsilon', t('tables_column_epsilon'), 0, 14, 0.5, source.eventLevelEpsilon],
    ['windows', t('workbench_windows'), 1, 5, 1, first?.windows.ends.length ?? 1],
    [
      'triggerData',
      t('tables_column_trigger_data'),
      1,
      32,
      1,
      source.triggerSpecs.flatMap(({ triggerData }) => triggerData).length,
    ],
    ['reports', t('workbench_reports'), 0, 20, 1, source.maxEventLevelReports],
    ['buckets', t('workbench_buckets'), 0, 20, 1, source.flexible ? (first?.summaryBuckets.length ?? 0) : 0],
  ];
  return (
    <div class="stack">
      {sliders.map(([knob, title, min, max, step, value]) => (
        <div class="slider" key={knob}>
          <label for={`knob-${knob}`}>{title}</label>
          <input
            id={`knob-${knob}`}
            type="range"
            min={min}
            max={max}
            step={step}
            value={value}
            onInput={({ currentTarget }) => onTurn(knob, currentTarget.valueAsNumber)}
          />
          <output for={`knob-${knob}`}>{showDecimal(value)}</output>
        </div>
      ))}
    </div>
  );
}
