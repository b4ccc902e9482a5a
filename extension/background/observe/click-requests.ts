import { sleep } from '../state/sleep';

/** In ms: how long a trigger waits for the source of the preceding click. */
const MAX_DEFERRAL = 5000;

/** What waits for the requests of one tab. */
interface Tab {
  requests: number;
  readonly settled: Promise<void>;
  readonly settle: () => void;
}

/**
 * The requests that Cointoss makes for clicks and that have no answer yet, by the tab of the click. All that wait for a tab share one
 * promise: pages decide how many requests there are and how much waits for them, and each must not wait for each.
 */
export class ClickRequests {
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

  /**
   * Resolves when the requests of clicks in these tabs are answered, or after a timeout. A trigger on the page that a click leads to must
   * find the source (ARA, "maybe defer and then complete trigger attribution").
   */
  async settled(tabs: readonly number[]): Promise<void> {
    // Most triggers find nothing to wait for, and need no timer.
    if (this.unanswered(tabs).length > 0) await Promise.race([this.answered(tabs), sleep(MAX_DEFERRAL)]);
  }

  private async answered(tabs: readonly number[]): Promise<void> {
    // One may get another request while others are waited for.
    for (let waiting = this.unanswered(tabs); waiting.length > 0; waiting = this.unanswered(tabs))
      await Promise.all(waiting);
  }

  private unanswered(tabs: readonly number[]): readonly Promise<void>[] {
    return [...new Set(tabs)].flatMap((tabId) => this.tabs.get(tabId)?.settled ?? []);
  }
}

function newTab(): Tab {
  let settle: () => void = () => undefined;
  const settled = new Promise<void>((resolve) => (settle = resolve));
  return { requests: 0, settled, settle };
}
