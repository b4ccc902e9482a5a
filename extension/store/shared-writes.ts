import type { Need } from '../../src/store/draft';
import type { Transaction } from '../../transactions/store';

type Work<T> = (transaction: Transaction) => T | Promise<T>;

interface Waiting {
  readonly work: Work<unknown>;
  readonly needs: readonly Need[];
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs small writes in shared transactions: what comes up during one is done in the next. A transaction costs more than the work in it, and
 * a browser runs them in order, so a line of thousands would hold up everything else.
 */
export class SharedWrites {
  private waiting: Waiting[] = [];
  private isRunning = false;

  /** @param write runs a transaction, which first loads all that is needed */
  constructor(private readonly write: <T>(work: Work<T>, needs: readonly Need[]) => Promise<T>) {}

  /** Resolves when the work is complete on the disk. Its failure is its own. */
  add<T>(work: Work<T>, needs: readonly Need[]): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ work, needs, resolve, reject });
      if (!this.isRunning) void this.runAll();
    });
  }

  private async runAll(): Promise<void> {
    this.isRunning = true;
    // What is added in the same go shares the first.
    await Promise.resolve();
    while (this.waiting.length > 0) await this.run(this.waiting.splice(0));
    this.isRunning = false;
  }

  /** One failure undoes the whole transaction, so then each runs alone. */
  private async run(together: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.write(
        async (tx) => {
          const done: unknown[] = [];
          for (const { work } of together) done.push(await work(tx));
          return done;
        },
        together.flatMap(({ needs }) => needs),
      );
      // Each result is that of the work at its place.
      for (const [index, { resolve }] of together.entries()) resolve(results[index] as never);
    } catch (error) {
      if (together.length === 1) together[0]?.reject(error);
      else for (const one of together) await this.run([one]);
    }
  }
}
