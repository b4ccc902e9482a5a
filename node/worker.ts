import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { root } from './root';

/** Each is compiled to a file of this name; `scripts/compile.mjs` says of which source. */
export type WorkerName = 'analysis-worker' | 'parquet-worker' | 'pglite-worker' | 'simulate-worker';

/** Where a worker thread's program is. It is always the compiled one, in tests, too: Node runs no TypeScript. */
export const workerFile = (name: WorkerName): string => path.join(root, 'dist/node', `${name}.mjs`);

export const startWorker = (name: WorkerName): Worker => new Worker(workerFile(name));

/** A pool of at most so many threads, started as they are needed, that run what a worker's file exports by default. */
export function workerPool<Task, Result>(
  name: WorkerName,
  maxThreads: number,
  workerData?: unknown,
): Piscina<Task, Result> {
  const filename = workerFile(name);
  const pool = new Piscina<Task, Result>({
    filename,
    minThreads: 0,
    maxThreads,
    idleTimeout: Infinity,
    workerData,
  });
  // A thread that fails rejects its task. This is of one whose task nobody waits for any more.
  pool.on('error', () => undefined);
  return pool;
}
