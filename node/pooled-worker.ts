import { workerData } from 'node:worker_threads';

/** The programs of worker threads that do one task after another, in a pool. */
export type PooledName =
  | 'analysis-worker'
  | 'data-worker'
  | 'experiment-worker'
  | 'learn-worker'
  | 'simulate-w3c-worker'
  | 'simulate-worker';

type Answer<Task, Result> = (task: Task) => Result | Promise<Result>;

/** A worker's program, with the types that its file and its callers share. */
export interface PooledWorker<Setup, Task, Result> {
  readonly name: PooledName;
  /** The input that all its tasks share. */
  readonly setup: () => Setup;
  /** What the worker's file exports by default. */
  readonly answer: (answer: Answer<Task, Result>) => Answer<Task, Result>;
}

export const pooledWorker = <Setup, Task, Result>(name: PooledName): PooledWorker<Setup, Task, Result> => ({
  name,
  // A thread's input has no type, but `workerPool` accepts no other setup for this worker.
  setup: () => workerData as Setup,
  answer: (answer) => answer,
});
