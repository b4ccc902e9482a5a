import browser from 'webextension-polyfill';

/** In ms. A navigation's registration precedes its page, and the browser clears the badge when the page arrives. */
const PAGE_ARRIVES = 1500;

/**
 * Counts on the button what was recorded on each tab's page. The badge itself holds the count: the browser keeps it while the background
 * sleeps, and clears it when the tab leaves the page.
 */
export class Badge {
  private queue: Promise<unknown> = Promise.resolve();

  constructor() {
    void browser.action.setBadgeBackgroundColor({ color: '#8a5a00' });
    // Some versions of the polyfill's types lack this. Dark text on amber would be hard to read.
    void browser.action.setBadgeTextColor({ color: '#ffffff' });
  }

  /** @param whenPageIsThere true when the tab is still loading the page of the registration */
  count(tabId: number, whenPageIsThere: boolean): void {
    if (tabId < 0) return;
    if (whenPageIsThere) setTimeout(() => this.add(tabId), PAGE_ARRIVES);
    else this.add(tabId);
  }

  /** Clears every tab. */
  clear(): void {
    this.queue = this.queue
      .then(async () => {
        const tabs = await browser.tabs.query({});
        await Promise.all(tabs.map(({ id }) => browser.action.setBadgeText({ tabId: id ?? 0, text: '' })));
      })
      .catch(() => undefined);
  }

  private add(tabId: number): void {
    this.queue = this.queue
      .then(async () => {
        const count = Number(await browser.action.getBadgeText({ tabId })) + 1;
        await browser.action.setBadgeText({ tabId, text: String(count) });
      })
      // The tab may have been closed.
      .catch(() => undefined);
  }
}
