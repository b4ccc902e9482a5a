import { Worker } from 'node:worker_threads';

/** Starts a TypeScript file as a worker thread. */
export const startWorker = (file: string): Worker =>
  new Worker(file, { execArgv: ['--require', require.resolve('tsx/cjs')] });
