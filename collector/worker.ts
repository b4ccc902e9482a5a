import { Worker } from 'node:worker_threads';

/** Starts a TypeScript file as a worker thread. */
export function startWorker(file: string): Worker {
  // Where tsx itself loads this file, it adds a query to what it resolves.
  const [loader = ''] = require.resolve('tsx/cjs').split('?');
  return new Worker(file, { execArgv: ['--require', loader] });
}
