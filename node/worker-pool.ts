import type { ResourceLimits } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { PooledWorker } from './pooled-worker';
import { visible } from '../scripts/visible.mjs';
import { workerFile } from './worker';

/**
 * A pool that starts one thread at once and up to this many on demand, and runs the default export of a worker's file.
 * @param resourceLimits of each thread.
 */
export const workerPool = <Setup, Task, Result>(
  { name }: PooledWorker<Setup, Task, Result>,
  maxThreads: number,
  workerData: NoInfer<Setup>,
  resourceLimits: ResourceLimits = {},
): Piscina<Task, Result> =>
  new WorkerPool<Task, Result>({
    filename: workerFile(name),
    minThreads: 1,
    maxThreads,
    idleTimeout: Infinity,
    workerData,
    resourceLimits,
  });

/**
 * A thread that fails rejects its own task. If it has none, as at its start, the other threads do those that wait. When no thread is left, nobody
 * would: they are rejected, and the next task starts another thread.
 */
class WorkerPool<Task, Result> extends Piscina<Task, Result> {
  readonly #waiting = new Set<(error: unknown) => void>();
  /** Of a thread that had no task, so that nobody else was told. */
  #failure: Error | null = null;
  #hasSaid = false;

  constructor(options: ConstructorParameters<typeof Piscina>[0]) {
    super(options);
    this.on('error', (error: Error) => {
      this.#rejectIfAlone(error);
      this.#failure = error;
    });
  }

  override run(...task: Parameters<Piscina<Task, Result>['run']>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      void super
        .run(...task)
        .finally(() => this.#waiting.delete(reject))
        .catch((error: unknown) => {
          this.#rejectIfAlone(error);
          throw error;
        })
        .then((result) => {
          this.#sayFailure();
          resolve(result);
        }, reject);
    });
  }

  /** Said when another thread has done a task meanwhile: where none is left, its error ends the command. */
  #sayFailure(): void {
    if (this.#failure === null || this.#hasSaid) return;
    this.#hasSaid = true;
    process.stderr.write(`cointoss: a thread failed, and others go on: ${visible(this.#failure.message)}\n`);
  }

  #rejectIfAlone(error: unknown): void {
    if (this.threads.length > 0) return;
    for (const reject of this.#waiting) reject(error);
  }
}
