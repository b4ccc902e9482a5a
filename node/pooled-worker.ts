import { workerData } from 'node:worker_threads';

/** The programs of worker threads that do one task after another, in a pool. */
export type PooledName =
  | 'analysis-worker'
  | 'experiment-worker'
  | 'learn-worker'
  | 'simulate-w3c-worker'
  | 'simulate-worker';

type Answer<Task, Result> = (task: Task) => Result | Promise<Result>;

/** A worker's program, with the types that its file and those who start it must agree on. */
export interface PooledWorker<Setup, Task, Result> {
  readonly name: PooledName;
  /** In its threads: what all tasks have in common. */
  readonly setup: () => Setup;
  /** What the worker's file exports by default. */
  readonly answer: (answer: Answer<Task, Result>) => Answer<Task, Result>;
}

export const pooledWorker = <Setup, Task, Result>(name: PooledName): PooledWorker<Setup, Task, Result> => ({
  name,
  // What a thread is given has no type. `workerPool` takes no other setup for this worker.
  setup: () => workerData as Setup,
  answer: (answer) => answer,
});
