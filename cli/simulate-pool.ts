import type { Worker } from 'node:worker_threads';
import { startWorker } from '../node/worker';
import type { Settings } from '../src/model/settings';
import type { AllocationPolicy } from '../analysis/simulation/allocation';
import type { TallyEntries } from '../analysis/simulation/tally';
import type { Compression } from './compression';
import type { Batch } from './simulate-users';

/** What every thread is told once. */
export interface PoolSetup {
  readonly settings: Settings;
  readonly noise: boolean;
  readonly allocation: AllocationPolicy;
  /** Null: the system's randomness. */
  readonly seed: string | null;
  readonly withUsers: boolean;
  readonly compression: Compression;
}

export type BatchResult =
  | { readonly kind: 'done'; readonly bytes: Uint8Array; readonly tally: TallyEntries }
  | { readonly kind: 'bad-line'; readonly line: number; readonly message: string };

interface Job {
  readonly batch: Batch;
  readonly resolve: (result: BatchResult) => void;
  readonly reject: (error: Error) => void;
}

/** Threads that simulate batches, whichever is free the next one. They are started as they are needed. */
export class SimulationPool {
  private readonly workers: Worker[] = [];
  private readonly idle: Worker[] = [];
  private readonly waiting: Job[] = [];
  private readonly running = new Map<Worker, Job>();
  private failure: Error | null = null;

  constructor(
    private readonly threads: number,
    private readonly setup: PoolSetup,
  ) {}

  run(batch: Batch): Promise<BatchResult> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ batch, resolve, reject });
      this.next();
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.terminate()));
  }

  private start(): void {
    const worker = startWorker('simulate-worker', this.setup);
    this.workers.push(worker);
    this.idle.push(worker);
    worker.on('message', (result: BatchResult) => {
      this.running.get(worker)?.resolve(result);
      this.running.delete(worker);
      this.idle.push(worker);
      this.next();
    });
    worker.on('error', (error) => this.fail(error));
  }

  private next(): void {
    if (this.failure !== null) {
      this.fail(this.failure);
      return;
    }
    if (this.idle.length < this.waiting.length && this.workers.length < this.threads) this.start();
    while (this.idle.length > 0 && this.waiting.length > 0) {
      const [worker] = this.idle.splice(0, 1);
      const [job] = this.waiting.splice(0, 1);
      if (worker === undefined || job === undefined) return;
      this.running.set(worker, job);
      worker.postMessage(job.batch);
    }
  }

  /** A thread that dies, for want of memory say, leaves nothing that could go on. */
  private fail(error: Error): void {
    this.failure = error;
    for (const { reject } of [...this.running.values(), ...this.waiting.splice(0)]) reject(error);
    this.running.clear();
  }
}

/** Results in the order of the items, of which so many are worked on at once. */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  work: (item: Item) => Promise<Result>,
  atOnce: number,
): AsyncGenerator<readonly [Item, Result], void, undefined> {
  const begun: { readonly item: Item; readonly result: Promise<Result> }[] = [];
  const first = async (): Promise<readonly [Item, Result] | null> => {
    const next = begun.shift();
    return next === undefined ? null : [next.item, await next.result];
  };
  for await (const item of items) {
    const result = work(item);
    // It is looked at later; until then its failure must not count as unhandled.
    result.catch(() => undefined);
    begun.push({ item, result });
    const done = begun.length < atOnce ? null : await first();
    if (done !== null) yield done;
  }
  for (let done = await first(); done !== null; done = await first()) yield done;
}
