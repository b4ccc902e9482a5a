/** The queue is full; the sender must try again later. */
export class Overload extends Error {}

export interface GroupCommitLimits {
  /** Per batch. */
  readonly items: number;
  /** Per batch; a larger item is a batch of its own. */
  readonly bytes: number;
  /** The bytes of all waiting items. */
  readonly waitingBytes: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly bytes: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes items in batches: items that arrive during one write form the next batch. Under load, items share the cost of a commit; without
 * load, an item is written at once.
 */
export class GroupCommit<Item, Result> {
  readonly #waiting: Waiting<Item, Result>[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | null = null;

  /**
   * @param write resolves with one result per item, in the same order, once all are durable.
   * @param isOfAnItem whether the error comes from some items, so that the others can be written without them.
   */
  constructor(
    private readonly write: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly isOfAnItem: (error: unknown) => boolean,
    private readonly limits: GroupCommitLimits,
  ) {}

  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Resolves once the item is durable; rejects when it could not be written.
   * @throws Overload when too much is waiting.
   */
  add(item: Item, bytes: number): Promise<Result> {
    if (this.#waitingBytes + bytes > this.limits.waitingBytes)
      return Promise.reject(new Overload('too many reports are waiting to be stored'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, bytes, resolve, reject });
      this.#waitingBytes += bytes;
      this.#writing ??= this.writeAll();
    });
  }

  /** Resolves when nothing is waiting or being written. */
  async drain(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  private async writeAll(): Promise<void> {
    // Puts everything from the same turn of the event loop into one batch.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) await this.writeBatch(this.nextBatch());
    this.#writing = null;
  }

  private nextBatch(): readonly Waiting<Item, Result>[] {
    let bytes = 0;
    let count = 0;
    for (const { bytes: more } of this.#waiting) {
      if (count === this.limits.items || (count > 0 && bytes + more > this.limits.bytes)) break;
      bytes += more;
      count += 1;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  private async writeBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.write(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result)); // one per item
    } catch (error) {
      if (batch.length > 1 && this.isOfAnItem(error)) return this.writeHalves(batch);
      for (const { reject } of batch) reject(error);
    }
  }

  /** An item that cannot be written must not block the others. */
  private async writeHalves(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const middle = Math.ceil(batch.length / 2);
    await this.writeBatch(batch.slice(0, middle));
    await this.writeBatch(batch.slice(middle));
  }
}
