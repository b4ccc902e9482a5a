import type { JSX } from 'preact';
import { t } from '../../i18n';
import { showNumber } from '../words/words';
import { RUNS } from './task';

/** Starts the runs, or stops them, and shows how far they are. */
export const RunControls = ({
  id,
  label,
  done,
  isRunning,
  onStart,
  onStop,
}: {
  readonly id: string;
  readonly label: string;
  readonly done: number;
  readonly isRunning: boolean;
  readonly onStart: () => void;
  readonly onStop: () => void;
}): JSX.Element => (
  <div class="row">
    {isRunning ? (
      <button type="button" id={id} onClick={onStop}>
        {t('runs_stop')}
      </button>
    ) : (
      <button type="button" class="primary" id={id} onClick={onStart}>
        {label}
      </button>
    )}
    <progress max={RUNS} value={done} aria-label={t('runs_progress')} />
    <span class="soft" id={`${id}-done`}>
      {t('runs_done', { done: showNumber(done), runs: showNumber(RUNS) })}
    </span>
  </div>
);
