/**
 * Divides a capacity among those who ask for it. Each may hold at most as much as is still free, so there is always room for one who holds
 * nothing yet (Choudhury and Hahne 1998, "dynamic threshold"): one holder alone gets half, k greedy ones 1/(k + 1) each.
 */
export class FairShare {
  private free: number;
  private readonly held = new Map<string, number>();

  constructor(capacity: number) {
    this.free = capacity;
  }

  /** Whether nobody can take anything. */
  get isFull(): boolean {
    return this.free <= 0;
  }

  /**
   * Takes `amount` on behalf of every holder, such as a site and a tab.
   * @returns how to give it back, which counts once; null when a holder has too much already
   */
  acquire(amount: number, ...holders: readonly string[]): (() => void) | null {
    if (holders.some((holder) => this.of(holder) + amount > this.free)) return null;
    this.move(amount, holders);
    let isHeld = true;
    return () => {
      if (isHeld) this.move(-amount, holders);
      isHeld = false;
    };
  }

  private of(holder: string): number {
    return this.held.get(holder) ?? 0;
  }

  private move(amount: number, holders: readonly string[]): void {
    this.free -= amount;
    for (const holder of holders) {
      const held = this.of(holder) + amount;
      if (held === 0) this.held.delete(holder);
      else this.held.set(holder, held);
    }
  }
}
