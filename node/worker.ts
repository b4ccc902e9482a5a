import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PooledName } from './pooled-worker';
import { root } from './root';

/** Each has a compiled file of this name; `scripts/compile.mjs` names its source. */
type WorkerName = PooledName | 'estimate-worker' | 'parquet-worker' | 'pglite-worker';

/** The path of a worker thread's program: the compiled one, even in tests, because Node does not run TypeScript. */
export const workerFile = (name: WorkerName): string => path.join(root, 'dist/node', `${name}.mjs`);

export const startWorker = (name: WorkerName): Worker => new Worker(workerFile(name));
