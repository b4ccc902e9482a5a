import type { RunResult } from '../analysis/experiment/result';
import { workerPool } from '../node/worker';
import type { PreparedLog } from './experiment-log';
import type { Plan } from './experiment-plan';
import type { ExperimentSetup, ExperimentTask } from './experiment-worker';

/** Enough to see whether a cell works, and how long a user takes. */
const TRIED_USERS = 30;

/**
 * Tries each cell on a few users, so that one that cannot work is known before hours have passed.
 * @returns what will be done, and how long it will take.
 * @throws InputError for a cell whose sources are all invalid.
 */
export async function expectedTime(
  { experiment, cells, runs, failure }: Plan,
  setup: ExperimentSetup,
  { users, events }: PreparedLog,
  threads: number,
  finished: number,
): Promise<string> {
  const pool = workerPool<ExperimentTask, RunResult>('experiment-worker', threads, setup);
  const start = performance.now();
  try {
    await Promise.all(
      cells.map(async (_, cell) => {
        const task: ExperimentTask = { cell, kind: 'noisy', repetition: 0, users: TRIED_USERS };
        const { counts } = await pool.run(task).catch((error: unknown) => {
          throw failure(task, error);
        });
        const invalid = counts.find(({ what }) => what.startsWith('sources_invalid '))?.what;
        if (invalid === undefined || counts.some(({ what }) => what.startsWith('sources '))) return;
        throw failure(
          task,
          new RangeError(`no source is valid: ${invalid.slice('sources_invalid '.length)}`),
        );
      }),
    );
  } finally {
    await pool.destroy();
  }
  const ofUser = (performance.now() - start) / 1000 / (cells.length * Math.min(TRIED_USERS, users));
  const left = runs.length - finished;
  const axes = experiment.grid.map(({ name, values }) => `${values.length} ${name}`).join(' × ');
  return [
    `${cells.length} cells${axes === '' ? '' : ` (${axes})`}, ${experiment.repetitions} repetitions`,
    `${left} runs of ${users} users with ${events} events`,
    `some ${inWords(ofUser * users * left)} in ${threads} threads`,
  ].join('; ');
}

function inWords(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} seconds`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}
