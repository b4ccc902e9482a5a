import path from 'node:path';
import { Worker, type ResourceLimits } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { PooledName, PooledWorker } from './pooled-worker';
import { root } from './root';

/** Each has a compiled file of this name; `scripts/compile.mjs` names its source. */
type WorkerName = PooledName | 'parquet-worker' | 'pglite-worker';

/** The path of a worker thread's program: the compiled one, even in tests, because Node does not run TypeScript. */
const workerFile = (name: WorkerName): string => path.join(root, 'dist/node', `${name}.mjs`);

export const startWorker = (name: WorkerName): Worker => new Worker(workerFile(name));

/**
 * A pool that starts up to this many threads on demand and runs the default export of a worker's file.
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
    minThreads: 0,
    maxThreads,
    idleTimeout: Infinity,
    workerData,
    resourceLimits,
  });
  // A failing thread rejects its task; this handles a failure after the task was abandoned.
  pool.on('error', () => undefined);
  return pool;
}
