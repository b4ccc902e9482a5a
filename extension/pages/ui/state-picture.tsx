import type { JSX } from 'preact';
import type { SourceRegistration } from '../../../src/model/registration';
import type { ReportState } from '../../../src/states/report-space';
import { triggerDataOf } from '../../../src/states/source-space';
import { rich, t } from '../../i18n';
import { showDuration } from '../words/words';
import { visuallyHidden } from './tags';
import { greatest } from '../../../numeric/extremes';

const countIn = (state: ReportState, position: number, window: number): number =>
  (state[position] ?? []).filter((other) => other === window).length;

/** A state that is marked in the picture of another. */
export interface MarkedState {
  readonly kind: 'true' | 'drawn';
  readonly number: bigint;
  readonly state: ReportState;
}

const signs = { true: '◇', drawn: '■' } as const;

/**
 * A state as a picture to change: a row for each trigger data, a column for each window, a dot for each report. The reports of the
 * marked states are in the same cells.
 */
export function StatePicture({
  registration,
  state,
  marked,
  label,
  onChange,
}: {
  readonly registration: SourceRegistration;
  readonly state: ReportState;
  readonly marked: readonly MarkedState[];
  readonly label: string;
  readonly onChange: (state: ReportState) => void;
}): JSX.Element {
  const entries = triggerDataOf(registration);
  const windows = greatest([0, ...entries.map(({ spec }) => spec.windows.ends.length)]);
  const shared = registration.triggerSpecs.length === 1 ? registration.triggerSpecs[0] : undefined;
  const total = state.reduce((sum, placed) => sum + placed.length, 0);

  const put = (position: number, window: number): void => {
    const placed = state[position] ?? [];
    const cap = entries[position]?.spec.summaryBuckets.length ?? 0;
    const isFull = placed.length >= cap || total >= registration.maxEventLevelReports;
    const changed = isFull
      ? placed.filter((other) => other !== window)
      : [...placed, window].sort((a, b) => a - b);
    onChange(state.map((old, index) => (index === position ? changed : old)));
  };

  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label={label}>
      <table class="state-picture">
        <thead>
          <tr>
            <th scope="col">{t('ui_state_data')}</th>
            {Array.from({ length: windows }, (_, window) => (
              <th scope="col" key={window}>
                {windowTitle(shared?.windows.ends[window], window)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entries.map(({ triggerData, spec }, position) => (
            <tr key={triggerData}>
              <th scope="row">{triggerData}</th>
              {Array.from({ length: windows }, (_, window) => {
                const reports = countIn(state, position, window);
                if (window >= spec.windows.ends.length) return <td key={window} class="none" />;
                return (
                  <td key={window}>
                    <button
                      type="button"
                      class="cell"
                      data-reports={reports}
                      aria-label={t('ui_state_cell', { data: triggerData, window: window + 1, n: reports })}
                      onClick={() => put(position, window)}
                    >
                      <Dots sign="●" count={reports} />
                      {marked.map(({ kind, state: other }) => (
                        <Dots
                          key={kind}
                          sign={signs[kind]}
                          kind={kind}
                          count={countIn(other, position, window)}
                        />
                      ))}
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const windowTitle = (end: number | undefined, window: number): string =>
  end === undefined
    ? t('explain_timeline_window', { n: window + 1 })
    : t('ui_state_window_end', { end: showDuration(end) });

const Dots = ({
  sign,
  kind = 'chosen',
  count,
}: {
  readonly sign: string;
  readonly kind?: MarkedState['kind'] | 'chosen';
  readonly count: number;
}): JSX.Element => (
  <span aria-hidden="true" class={`dots ${kind}`}>
    {count > 4 ? `${sign}×${count}` : sign.repeat(count)}
  </span>
);

/** Says what the signs mean, and the numbers of the marked states, which can be chosen. */
export const StateLegend = ({
  marked,
  onPick,
}: {
  readonly marked: readonly MarkedState[];
  readonly onPick: (number: bigint) => void;
}): JSX.Element => (
  <ul class="issues state-legend">
    <li>
      <span class="dots chosen">●</span> {t('states_chosen')}
    </li>
    {marked.map(({ kind, number }) => (
      <li key={kind}>
        <span class={`dots ${kind}`}>{signs[kind]}</span>{' '}
        {rich('states_marked', {
          kind,
          number: <strong id={kind === 'true' ? 'true-state' : 'noised-state'}>{String(number)}</strong>,
        })}{' '}
        <button type="button" class="plain" onClick={() => onPick(number)}>
          {rich('states_show_above', { number: String(number), visuallyHidden })}
        </button>
      </li>
    ))}
  </ul>
);
