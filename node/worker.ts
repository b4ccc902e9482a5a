import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { root } from './root';

/** Each is compiled to a file of this name; `scripts/compile.mjs` says of which source. */
export type WorkerName = 'analysis-worker' | 'parquet-worker' | 'pglite-worker' | 'simulate-worker';

/**
 * Starts a worker thread. It is always the compiled one, in tests, too: Node runs no TypeScript.
 * @param workerData what the thread is told at the start.
 */
export const startWorker = (name: WorkerName, workerData?: unknown): Worker =>
  new Worker(path.join(root, 'dist/node', `${name}.mjs`), { workerData });
