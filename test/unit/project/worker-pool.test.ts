import { once } from 'node:events';
import { setImmediate as immediate } from 'node:timers/promises';
import { cellsOf } from '../../../analysis/learn/cells';
import { parseExperiment } from '../../../analysis/learn/experiment';
import { demoSplit, runCell } from '../../../analysis/learn/run-cell';
import { learnWorker } from '../../../cli/learn/workers';
import { workerPool } from '../../../node/worker-pool';
import { accepted } from '../helpers/parsing';

/** A thread that reads this fails at its start. */
const bad = null as never;
const task = { figure: 0, seed: 0 } as never;

test('a thread that fails at its start rejects the task that came before or after that', async () => {
  const pool = workerPool(learnWorker, 1, bad);
  try {
    await expect(pool.run(task)).rejects.toThrow("'experiment'");
    await expect(pool.run(task)).rejects.toThrow("'experiment'");
  } finally {
    await pool.destroy();
  }
  const later = workerPool(learnWorker, 1, bad);
  try {
    await once(later, 'error', { signal: AbortSignal.timeout(300_000) }).catch((error: unknown) => {
      if (!String(error).includes("'experiment'")) throw error;
    });
    await expect(later.run(task)).rejects.toThrow("'experiment'");
  } finally {
    await later.destroy();
  }
});

test('where one of several threads fails at its start, the others do the tasks that wait', async () => {
  const figure = { title: 'Rates', methods: ['rr'], epsilons: [1, 4] };
  const experiment = accepted(parseExperiment({ users: 4000, seeds: 1, figures: [figure] }));
  const split = demoSplit(experiment);
  const cells = cellsOf(experiment).slice(0, 4);
  const pool = workerPool(learnWorker, 2, { experiment, split, reported: new Map(), python: null });
  const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    // The first thread has been given what it needs. The second, which the tasks that wait start, has not.
    Object.assign(pool.options, { workerData: bad });
    // Until the first thread counts as started, tasks are given to others before these have.
    await immediate();
    const results = await Promise.allSettled(cells.map((cell) => pool.run(cell)));
    const failed = results.filter(({ status }) => status === 'rejected');
    // The one that the second thread may have been given before it failed.
    expect(failed.length).toBeLessThanOrEqual(1);
    for (const [index, cell] of cells.entries()) {
      const result = results[index];
      if (result?.status === 'fulfilled') expect(result.value).toEqual(runCell(cell, split, experiment));
    }
    expect(pool.threads).toHaveLength(1);
    // What Piscina emits for a thread that had no task, as the second one may have had. It is said once.
    pool.emit('error', new Error('lost'));
    for (const cell of cells) await pool.run(cell);
    const lines = said.mock.calls.map(([line]) => String(line));
    expect(
      lines.filter((line) => line.startsWith('cointoss: a thread failed, and others go on:')),
    ).toHaveLength(1);
  } finally {
    said.mockRestore();
    await pool.destroy();
  }
});
