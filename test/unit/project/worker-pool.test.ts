import { once } from 'node:events';
import { learnWorker } from '../../../cli/learn/workers';
import { workerPool } from '../../../node/worker-pool';

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
    await once(later, 'error', { signal: AbortSignal.timeout(30_000) }).catch((error: unknown) => {
      if (!String(error).includes("'experiment'")) throw error;
    });
    await expect(later.run(task)).rejects.toThrow("'experiment'");
  } finally {
    await later.destroy();
  }
});
