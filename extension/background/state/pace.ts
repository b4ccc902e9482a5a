/** Spreads over time what each holder asks for: a few at once, then one after each interval (ITU-T I.371, "generic cell rate algorithm"). */
export class Pace {
  /** When the next one of a holder would be due if it had never waited. */
  private readonly due = new Map<string, number>();

  /**
   * @param atOnce how many need not wait
   * @param interval between two of the others, in ms
   */
  constructor(
    private readonly atOnce: number,
    private readonly interval: number,
  ) {}

  /**
   * Counts one more of a holder.
   * @param now on a clock that nobody turns back, in ms
   * @returns how long it has to wait, in ms
   */
  delay(holder: string, now: number): number {
    const earliest = now - (this.atOnce - 1) * this.interval;
    for (const [other, due] of this.due) if (due <= earliest) this.due.delete(other);
    const due = this.due.get(holder) ?? earliest;
    this.due.set(holder, due + this.interval);
    return Math.max(0, due - now);
  }

  /** Whether one more of a holder need not wait. */
  mayBeFree(holder: string, now: number): boolean {
    return (this.due.get(holder) ?? now) <= now;
  }

  /** Counts one more of a holder, unless it would have to wait. @returns whether it did */
  isFree(holder: string, now: number): boolean {
    if (!this.mayBeFree(holder, now)) return false;
    this.delay(holder, now);
    return true;
  }
}
