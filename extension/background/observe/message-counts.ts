/** Messages per tab and period. Further messages are ignored, and counted in the log. */
export const FLOOD_LIMIT = 400;
/** In ms. */
export const FLOOD_WINDOW = 10_000;
const MAX_COUNTS = 1000;

/** Messages of one sender in a period. */
export interface MessageCount {
  readonly since: number;
  count: number;
}

/** How many messages each sender sent in its period. */
export class MessageCounts {
  private readonly counts = new Map<string, MessageCount>();

  /** @param key of tab and origin, so that a frame cannot use up the limit of the page around it */
  count(key: string): MessageCount {
    // Both the device's and Cointoss's clock may be turned back.
    const now = performance.now();
    const seen = this.counts.get(key);
    if (seen !== undefined && now - seen.since <= FLOOD_WINDOW) {
      seen.count += 1;
      return seen;
    }
    const first = { since: now, count: 1 };
    this.counts.delete(key);
    this.counts.set(key, first);
    const [oldest] = this.counts.keys();
    if (this.counts.size > MAX_COUNTS && oldest !== undefined) this.counts.delete(oldest);
    return first;
  }
}
