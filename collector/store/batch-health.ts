/** After so long without a batch nobody knows any more, and who sends only to what is well has to try again. */
const FORGET_MILLISECONDS = 30_000;

/** Whether batches can be written, as far as the last one tells. */
export class BatchHealth {
  #failedAt = -Infinity;

  /** @param now milliseconds of a clock that is never set. */
  constructor(private readonly now: () => number) {}

  succeeded(): void {
    this.#failedAt = -Infinity;
  }

  failed(): void {
    this.#failedAt = this.now();
  }

  /** Whether the last batch failed, not long ago. */
  get isFailing(): boolean {
    return this.now() - this.#failedAt < FORGET_MILLISECONDS;
  }
}
