import path from 'node:path';
import { Worker, type ResourceLimits } from 'node:worker_threads';
import type { PooledName } from './pooled-worker';
import { root } from './root';

/** Each has a compiled file of this name; `scripts/compile.mjs` names its source. */
type WorkerName = PooledName | 'estimate-worker' | 'join-worker' | 'parquet-worker' | 'pglite-worker';

/** The path of a worker thread's program: the compiled one, even in tests, because Node does not run TypeScript. */
export const workerFile = (name: WorkerName): string => path.join(root, 'dist/node', `${name}.mjs`);

/** It has no options of the process: a program of Node's `--eval` cannot start it with its own `--input-type`. */
export const startWorker = (name: WorkerName, resourceLimits: ResourceLimits = {}): Worker =>
  new Worker(workerFile(name), { resourceLimits, execArgv: [] });

/** Asks a thread one question after another. @returns a function that throws an Error also if the thread has ended, or its answer cannot be read */
export function asking(worker: Worker): <Answer>(task: unknown) => Promise<Answer> {
  const ended = new Promise<never>((_, reject) => {
    worker.once('messageerror', ({ message }: Error) =>
      reject(new Error(`a thread gave a result that cannot be read: ${message}`)),
    );
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`a thread ended without a result (exit code ${code})`)));
  });
  // Whoever asks next is told.
  ended.catch(() => undefined);
  return async <Answer>(task: unknown): Promise<Answer> => {
    const answer = new Promise<Answer>((resolve) => void worker.once('message', resolve));
    worker.postMessage(task);
    return Promise.race([answer, ended]);
  };
}

/** What a thread answers to its only task. @throws Error as above */
export const answerOf = <Answer>(worker: Worker, task: unknown): Promise<Answer> =>
  asking(worker)<Answer>(task);
