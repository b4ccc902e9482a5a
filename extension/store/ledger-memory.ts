import { Memory } from '../../src/model/remembered';

/** Numbers of the ledger by their key; undefined where there is none. */
type KnownNumbers = ReadonlyMap<string, number | undefined>;

/**
 * Numbers of the ledger as a transaction left them, so that the next need not read them. A transaction that changes any takes an id, so
 * that the last id tells whether they still hold, whoever wrote.
 */
export class LedgerMemory {
  private known = new Memory<{ readonly number: number | undefined }>();
  private lastId = -1;

  /**
   * @param lastId that of the database; NaN: not known
   * @returns undefined where the number is not known
   */
  get(key: string, lastId: number): { readonly number: number | undefined } | undefined {
    return lastId === this.lastId ? this.known.get(key) : undefined;
  }

  /** Keeps what a transaction has read and written, once it is complete, unless a later one was faster. */
  keep(numbers: KnownNumbers, ids: { readonly before: number; readonly after: number }): void {
    if (!(ids.before >= this.lastId)) return;
    if (ids.before > this.lastId) this.known = new Memory();
    for (const [key, number] of numbers) this.known.put(key, { number });
    this.lastId = ids.after;
  }
}
