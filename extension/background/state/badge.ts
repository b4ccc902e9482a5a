import browser from 'webextension-polyfill';

/** In ms. A navigation's registration precedes its page, and the browser clears the badge when the page arrives. */
const PAGE_ARRIVES = 1500;
/** In ms between two changes of one tab's badge. Nobody reads faster, and each takes two calls of the browser. */
const PAUSE = 250;

/**
 * Counts on the button what was recorded on each tab's page. The badge itself holds the count: the browser keeps it while the background
 * sleeps, and clears it when the tab leaves the page.
 */
export class Badge {
  private queue: Promise<unknown> = Promise.resolve();
  /** By tab: how many were recorded since its badge was changed, while it may not be changed again. */
  private readonly waiting = new Map<number, number>();
  /** What waits for its page. */
  private readonly arriving = new Set<{ readonly tabId: number; hasPage: boolean }>();

  constructor() {
    void browser.action.setBadgeBackgroundColor({ color: '#8a5a00' });
    // Some versions of the polyfill's types lack this. Dark text on amber would be hard to read.
    void browser.action.setBadgeTextColor({ color: '#ffffff' });
  }

  /** @param whenPageIsThere true when the tab is still loading the page of the registration */
  count(tabId: number, whenPageIsThere: boolean): void {
    if (tabId < 0) return;
    if (whenPageIsThere) this.addLater(tabId);
    else this.add(tabId);
  }

  private addLater(tabId: number): void {
    const one = { tabId, hasPage: false };
    this.arriving.add(one);
    setTimeout(() => {
      // Otherwise its page was left.
      if (this.arriving.delete(one)) this.add(tabId);
    }, PAGE_ARRIVES);
  }

  /** The tab shows another page, and the browser has cleared its badge. */
  begin(tabId: number): void {
    if (this.waiting.has(tabId)) this.waiting.set(tabId, 0);
    for (const one of this.arriving) {
      if (one.tabId !== tabId) continue;
      if (one.hasPage) this.arriving.delete(one);
      one.hasPage = true;
    }
  }

  /** Clears every tab. */
  clear(): void {
    this.arriving.clear();
    for (const tabId of this.waiting.keys()) this.waiting.set(tabId, 0);
    this.queue = this.queue
      .then(async () => {
        const tabs = await browser.tabs.query({});
        await Promise.all(tabs.map(({ id }) => browser.action.setBadgeText({ tabId: id ?? 0, text: '' })));
      })
      .catch(() => undefined);
  }

  private add(tabId: number): void {
    const waiting = this.waiting.get(tabId);
    this.waiting.set(tabId, (waiting ?? 0) + 1);
    if (waiting === undefined) this.change(tabId);
  }

  private change(tabId: number): void {
    const added = this.waiting.get(tabId) ?? 0;
    if (added === 0) {
      this.waiting.delete(tabId);
      return;
    }
    this.waiting.set(tabId, 0);
    setTimeout(() => this.change(tabId), PAUSE);
    this.queue = this.queue
      .then(async () => {
        const count = Number(await browser.action.getBadgeText({ tabId })) + added;
        await browser.action.setBadgeText({ tabId, text: String(count) });
      })
      // The tab may have been closed.
      .catch(() => undefined);
  }
}
