import type { Occasion } from '../../src/model/decision';

/** In ms: how long what is dropped is counted before it is logged. */
const COUNTING_TIME = 5000;

/** Counts what is dropped because too much waits already, so that a flood makes one log entry for each that holds room, not
 * one for each drop. */
export class Overflow {
  private readonly counts = new Map<string, number>();

  /** @param log gets the occasion of the first drop, and how many there were */
  constructor(private readonly log: (holder: string, first: Occasion, count: number) => void) {}

  add(holder: string, occasion: Occasion): void {
    const count = this.counts.get(holder) ?? 0;
    this.counts.set(holder, count + 1);
    if (count > 0) return;
    setTimeout(() => {
      this.log(holder, occasion, this.counts.get(holder) ?? 0);
      this.counts.delete(holder);
    }, COUNTING_TIME);
  }
}
