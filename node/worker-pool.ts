import type { ResourceLimits } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { PooledWorker } from './pooled-worker';
import { workerFile } from './worker';

/**
 * A pool that starts one thread at once and up to this many on demand, and runs the default export of a worker's file.
 * @param resourceLimits of each thread.
 */
export function workerPool<Setup, Task, Result>(
  { name }: PooledWorker<Setup, Task, Result>,
  maxThreads: number,
  workerData: NoInfer<Setup>,
  resourceLimits: ResourceLimits = {},
): Piscina<Task, Result> {
  const filename = workerFile(name);
  const pool = new Piscina<Task, Result>({
    filename,
    minThreads: 1,
    maxThreads,
    idleTimeout: Infinity,
    workerData,
    resourceLimits,
  });
  // A failing thread rejects its task; this handles a failure after the task was abandoned.
  pool.on('error', () => undefined);
  return pool;
}
