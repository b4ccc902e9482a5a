import type { JSX } from 'preact';
import type { SourceRegistration } from '../../../src/model/registration';
import type { ReportState } from '../../../src/states/report-space';
import { triggerDataOf } from '../../../src/states/source-space';
import { t } from '../../i18n';
import { showDuration } from '../lib/words';

const countIn = (state: ReportState, position: number, window: number): number =>
  (state[position] ?? []).filter((other) => other === window).length;

/** A state as a picture: a row for each trigger data, a column for each window, a dot for each report. */
export function StatePicture({
  registration,
  state,
  label,
  onChange,
}: {
  readonly registration: SourceRegistration;
  readonly state: ReportState;
  readonly label: string;
  /** Without it the picture is read-only. */
  readonly onChange?: (state: ReportState) => void;
}): JSX.Element {
  const entries = triggerDataOf(registration);
  const windows = Math.max(0, ...entries.map(({ spec }) => spec.windows.ends.length));
  const shared = registration.triggerSpecs.length === 1 ? registration.triggerSpecs[0] : undefined;
  const total = state.reduce((sum, placed) => sum + placed.length, 0);

  const put = (position: number, window: number): void => {
    const placed = state[position] ?? [];
    const cap = entries[position]?.spec.summaryBuckets.length ?? 0;
    const isFull = placed.length >= cap || total >= registration.maxEventLevelReports;
    const changed = isFull
      ? placed.filter((other) => other !== window)
      : [...placed, window].sort((a, b) => a - b);
    onChange?.(state.map((old, index) => (index === position ? changed : old)));
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
                    {onChange === undefined ? (
                      <span class="cell" data-reports={reports}>
                        <Dots count={reports} />
                      </span>
                    ) : (
                      <button
                        type="button"
                        class="cell"
                        data-reports={reports}
                        aria-label={t('ui_state_cell', { data: triggerData, window: window + 1, n: reports })}
                        onClick={() => put(position, window)}
                      >
                        <Dots count={reports} />
                      </button>
                    )}
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
    ? t('ui_state_window', { n: window + 1 })
    : t('ui_state_window_end', { end: showDuration(end) });

const Dots = ({ count }: { readonly count: number }): JSX.Element => (
  <>
    <span aria-hidden="true" class="dots">
      {count > 4 ? `●×${count}` : '●'.repeat(count)}
    </span>
    <span class="visually-hidden">{count}</span>
  </>
);
