type Work<Transaction, T> = (transaction: Transaction) => T | Promise<T>;

interface Waiting<Transaction, Need> {
  /** @returns what to do once the transaction is complete */
  readonly work: Work<Transaction, () => void>;
  readonly needs: readonly Need[];
  readonly reject: (error: unknown) => void;
}

/**
 * Runs small writes in shared transactions: what comes up during one is done in the next. A transaction costs more than the work in it, and
 * a browser runs them in order, so a line of thousands would hold up everything else.
 */
export class SharedWrites<Transaction, Need> {
  private waiting: Waiting<Transaction, Need>[] = [];
  private isRunning = false;

  /** @param write runs a transaction, which first loads all that is needed */
  constructor(
    private readonly write: <T>(work: Work<Transaction, T>, needs: readonly Need[]) => Promise<T>,
  ) {}

  /** Resolves when the work is complete on the disk. Its failure is its own. */
  add<T>(work: Work<Transaction, T>, needs: readonly Need[] = []): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({
        work: async (tx) => {
          const result = await work(tx);
          return () => resolve(result);
        },
        needs,
        reject,
      });
      if (!this.isRunning) void this.runAll();
    });
  }

  private async runAll(): Promise<void> {
    this.isRunning = true;
    // What is added in the same go shares the first.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const together = this.waiting;
      this.waiting = [];
      await this.run(together);
    }
    this.isRunning = false;
  }

  /** One failure undoes the whole transaction, so then each runs alone. */
  private async run(together: readonly Waiting<Transaction, Need>[]): Promise<void> {
    try {
      const complete = await this.write(
        async (tx) => {
          const done: (() => void)[] = [];
          for (const { work } of together) done.push(await work(tx));
          return done;
        },
        together.flatMap(({ needs }) => needs),
      );
      for (const resolve of complete) resolve();
    } catch (error) {
      if (together.length === 1) together[0]?.reject(error);
      else for (const one of together) await this.run([one]);
    }
  }
}
