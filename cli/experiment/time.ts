import type { RunResult } from '../../analysis/experiment/result';
import type { Run } from '../../analysis/experiment/runs';
import type { Piscina } from 'piscina';
import { showProgress, timeLeft } from '../io/progress';
import { TRIED_USERS, type PreparedLog } from './log';
import type { Plan } from './plan';
import type { ExperimentTask } from './workers';

type ExperimentPool = Piscina<ExperimentTask, RunResult>;

/**
 * Tries each cell on a few users, so that a cell that cannot work is known before hours have passed.
 * @param left the runs that are not finished; cells without one are not tried.
 * @returns a summary of the plan, and its processor time; on a loaded machine, wall time says little.
 * @throws InputError for a cell whose sources are all invalid.
 */
export async function expectedTime(
  plan: Plan,
  pool: ExperimentPool,
  { users, events, triedEvents }: PreparedLog,
  threads: number,
  left: readonly Run[],
): Promise<string> {
  const { experiment, cells } = plan;
  const tried = [...new Set(left.map(({ cell }) => cell))];
  const tryCells = cellsTrier(plan, pool, tried);
  await tryCells();
  // A second time, because threads take seconds to start and to become fast.
  const start = process.cpuUsage();
  await tryCells();
  const { user, system } = process.cpuUsage(start);
  const seconds = (user + system) / 1e6;
  const ofRun = ((seconds / tried.length) * events) / Math.max(1, triedEvents);
  const axes = experiment.grid.map(({ name, values }) => `${values.length} ${name}`).join(' × ');
  return [
    `${many(cells.length, 'cell')}${axes === '' ? '' : ` (${axes})`}, ${many(experiment.repetitions, 'repetition')}`,
    `${many(left.length, 'run')} of ${many(users, 'user')} with ${many(events, 'event')}`,
    // The few users that were tried take longer each, because the code is still becoming fast.
    `up to ${inWords(ofRun * left.length)} of processor time, in ${many(threads, 'thread')}`,
  ].join('; ');
}

/** Each call tries the cells once, of two times, and shows how many of them are done. */
function cellsTrier(plan: Plan, pool: ExperimentPool, cells: readonly number[]): () => Promise<void> {
  const tries = 2 * cells.length;
  let done = 0;
  const left = timeLeft(() => done / tries);
  return async () => {
    const stopShowing = showProgress(() => `trying each cell: ${done} of ${tries}${left()}`);
    try {
      await Promise.all(
        cells.map(async (cell) => {
          await tryCell(plan, pool, cell);
          done += 1;
        }),
      );
    } finally {
      stopShowing();
    }
  };
}

async function tryCell({ failure }: Plan, pool: ExperimentPool, cell: number): Promise<void> {
  const task: ExperimentTask = { cell, kind: 'noisy', repetition: 0, users: TRIED_USERS, run: null };
  const { counts } = await pool.run(task).catch((error: unknown) => {
    throw failure(task, error);
  });
  const invalid = counts.find(({ section }) => section === 'sources_invalid');
  if (invalid === undefined || counts.some(({ section }) => section === 'sources')) return;
  throw failure(task, new RangeError(`no source is valid: ${invalid.kind}`));
}

const many = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function inWords(seconds: number): string {
  if (seconds < 120) return many(Math.ceil(seconds), 'second');
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}
