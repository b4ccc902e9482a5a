/**
 * A failure counts for this long. Afterwards the state is unknown, and senders that avoid failing collectors must be able to try again.
 */
const FORGET_MILLISECONDS = 30_000;

/** Whether batches can be written, judged by the last one. */
export class BatchHealth {
  #failedAt = -Infinity;

  /** @param now milliseconds of a monotonic clock. */
  constructor(private readonly now: () => number) {}

  succeeded(): void {
    this.#failedAt = -Infinity;
  }

  failed(): void {
    this.#failedAt = this.now();
  }

  /** Whether the last batch failed recently. */
  get isFailing(): boolean {
    return this.now() - this.#failedAt < FORGET_MILLISECONDS;
  }
}
