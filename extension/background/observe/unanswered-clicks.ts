/** What waits for the requests of one tab. */
interface Tab {
  requests: number;
  readonly settled: Promise<void>;
  readonly settle: () => void;
}

/**
 * The requests of clicks that have no answer yet, by the tab of the click. All that wait for a tab share one promise: pages decide how many
 * requests there are and how much waits for them, and each must not wait for each.
 */
export class UnansweredClicks {
  private readonly tabs = new Map<number, Tab>();

  /** @returns to be called once, when the request is answered */
  add(tabId: number): () => void {
    const tab = this.tabs.get(tabId) ?? newTab();
    this.tabs.set(tabId, tab);
    tab.requests += 1;
    return () => {
      tab.requests -= 1;
      if (tab.requests > 0) return;
      this.tabs.delete(tabId);
      tab.settle();
    };
  }

  /** Resolves when none of these tabs has an unanswered request. */
  async settled(tabs: readonly number[]): Promise<void> {
    for (;;) {
      const waiting = [...new Set(tabs)].flatMap((tabId) => this.tabs.get(tabId)?.settled ?? []);
      if (waiting.length === 0) return;
      // One may get another request while others are waited for.
      await Promise.all(waiting);
    }
  }
}

function newTab(): Tab {
  let settle: () => void = () => undefined;
  const settled = new Promise<void>((resolve) => (settle = resolve));
  return { requests: 0, settled, settle };
}
