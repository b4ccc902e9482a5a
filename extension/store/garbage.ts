/** After how many transactions garbage is collected: under a flood, every few seconds. */
const TRANSACTIONS = 100;
/** In bytes: so much outside of JavaScript's heap makes a browser collect garbage. Nothing writes to it, so that it takes no memory. */
const HINT = 2 ** 27;

/**
 * Makes the browser collect garbage now and then. It keeps some kilobytes for each request to a database, and for each `fetch`, until a
 * major collection. That comes when the heap of JavaScript has grown by much, or the memory outside of it. In the background neither does, so
 * a flood of registrations leaves more and more: after four minutes 195 MB in Firefox, and 154 MB with this (docs/reliability.md).
 */
export class Garbage {
  private transactions = 0;

  /** To be called after each transaction. */
  add(): void {
    this.transactions += 1;
    if (this.transactions % TRANSACTIONS !== 0) return;
    try {
      void new ArrayBuffer(HINT);
    } catch {
      // Without room for it, the browser collects garbage anyway.
    }
  }
}
