import type { Queries } from './database';

/** After this, a question begins another measurement. */
const FRESH_MILLISECONDS = 10_000;

/**
 * The bytes of the database on its disk: the last measurement plus what was added since. Whoever asks after its time begins another one, but gets the
 * last; only `bytes` waits, and only for the first.
 */
export class StoreSize {
  #measured = 0;
  #measuredAt = -Infinity;
  #written = 0;
  #measuring: Promise<void> | null = null;

  constructor(private readonly queries: Queries) {}

  /** NaN when the database did not answer. */
  async bytes(): Promise<number> {
    this.refresh();
    if (this.#measuredAt === -Infinity) await this.#measuring;
    return this.known;
  }

  /** As far as it is known without waiting. */
  get known(): number {
    this.refresh();
    return this.#measured + this.#written;
  }

  /** Counts what was written after the last measurement. */
  add(bytes: number): void {
    this.#written += bytes;
  }

  private refresh(): void {
    if (performance.now() - this.#measuredAt > FRESH_MILLISECONDS)
      this.#measuring ??= this.measure().finally(() => (this.#measuring = null));
  }

  private async measure(): Promise<void> {
    const before = this.#written;
    this.#measured = await this.queries
      .query<{ bytes: number }>('SELECT pg_database_size(current_database()) AS bytes')
      .then(([row]) => row?.bytes ?? NaN)
      .catch(() => NaN);
    this.#measuredAt = performance.now();
    this.#written -= before;
  }
}
