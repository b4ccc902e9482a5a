import type { Occasion } from '../../src/model/decision';
import type { Site } from '../../src/model/units';
import { siteOf } from '../../src/parsing/site';

/** In ms: how long what is dropped is counted before it is logged. */
const COUNTING_TIME = 5000;

/** Counts what is dropped because too much waits already, so that a flood makes one log entry for each site, not one for each drop. */
export class Overflow {
  private readonly counts = new Map<Site, number>();

  /** @param log gets the occasion of the first drop, and how many there were */
  constructor(private readonly log: (first: Occasion, count: number) => void) {}

  add(occasion: Occasion): void {
    const site = siteOf(occasion.contextOrigin);
    const count = this.counts.get(site) ?? 0;
    this.counts.set(site, count + 1);
    if (count > 0) return;
    setTimeout(() => {
      this.log(occasion, this.counts.get(site) ?? 0);
      this.counts.delete(site);
    }, COUNTING_TIME);
  }
}
