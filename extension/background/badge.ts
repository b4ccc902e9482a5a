import browser from 'webextension-polyfill';

/** A navigation's own registration comes before its page, and the browser takes the badge away when the page comes. */
const PAGE_ARRIVES = 1500;

/**
 * Counts on the button what was recorded on each tab's page. The count is the badge itself: the browser keeps it while
 * the background sleeps, and forgets it when the tab goes to another page.
 */
export class Badge {
  private queue: Promise<unknown> = Promise.resolve();

  constructor() {
    void browser.action.setBadgeBackgroundColor({ color: '#8a5a00' });
    // Not in the polyfill's types for all versions, and dark on amber would be hard to read.
    void browser.action.setBadgeTextColor({ color: '#ffffff' });
  }

  /** @param whenPageIsThere the registration belongs to a page that the tab is still on its way to. */
  count(tabId: number, whenPageIsThere: boolean): void {
    if (tabId < 0) return;
    if (whenPageIsThere) setTimeout(() => this.add(tabId), PAGE_ARRIVES);
    else this.add(tabId);
  }

  /** On every tab, as what it counted is erased. */
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
      // The tab may be gone.
      .catch(() => undefined);
  }
}
