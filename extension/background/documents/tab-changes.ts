/** Lets what waits for more to be known of a tab's documents go on when it is. */
export class TabChanges {
  private readonly waiting = new Map<number, (() => void)[]>();

  /** Resolves when more is known of a tab, or after so many ms. */
  next(tabId: number, within?: number): Promise<void> {
    const waiting = this.waiting.get(tabId) ?? [];
    this.waiting.set(tabId, waiting);
    return new Promise((resolve) => {
      const timer = within === undefined ? undefined : setTimeout(resolve, within);
      waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  tell(tabId: number): void {
    const waiting = this.waiting.get(tabId) ?? [];
    this.waiting.delete(tabId);
    for (const resume of waiting) resume();
  }
}
