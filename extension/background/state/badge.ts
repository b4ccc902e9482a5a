import browser from 'webextension-polyfill';
import { TabPages, type PageAnswer } from './tab-pages';

/** In ms between two changes of one tab's badge. Nobody reads faster, and each takes two calls of the browser. */
const PAUSE = 250;
/** The most navigations whose registrations wait for their page, and that ended without one. */
const MOST = 1000;

/**
 * Counts on the button what was recorded on each tab's page. The badge itself holds the count: the browser keeps it while the background
 * sleeps, and clears it when the tab leaves the page. What a navigation of an earlier run of the background registers now is not counted.
 */
export class Badge {
  private queue: Promise<unknown> = Promise.resolve();
  /** By tab: how many were recorded since its badge was changed, while it may not be changed again. */
  private readonly waiting = new Map<number, number>();
  private readonly pages = new TabPages();
  /** By the browser's id of a navigation: what it registered before its page came, the oldest first. */
  private readonly arriving = new Map<string, { readonly tabId: number; readonly count: number }>();
  /** The tabs of navigations that ended without a page, until the tab shows another: what they registered may be stored only now. */
  private readonly over = new Map<string, number>();

  constructor() {
    void browser.action.setBadgeBackgroundColor({ color: '#8a5a00' });
    // Some versions of the polyfill's types lack this. Dark text on amber would be hard to read.
    void browser.action.setBadgeTextColor({ color: '#ffffff' });
  }

  /** @param navigation the browser's id of the request that registered on the way to its page; null: the page in the tab registered */
  count(tabId: number, navigation: string | null): void {
    if (tabId < 0) return;
    const isShown = navigation === null || this.over.has(navigation) || this.pages.shows(tabId, navigation);
    if (isShown) this.add(tabId, 1);
    else this.addLater(tabId, navigation);
  }

  private addLater(tabId: number, navigation: string): void {
    const count = (this.arriving.get(navigation)?.count ?? 0) + 1;
    this.arriving.set(navigation, { tabId, count });
    forgetOldest(this.arriving);
  }

  /** A page has its last answer, and the tab will show it. */
  answered(answer: PageAnswer): void {
    this.arrived(answer.tabId, this.pages.answered(answer));
  }

  /** The tab shows another page, and the browser has cleared its badge. */
  begin(page: Omit<PageAnswer, 'requestId'>): void {
    const { tabId } = page;
    if (this.waiting.has(tabId)) this.waiting.set(tabId, 0);
    this.forgetOver(tabId);
    this.arrived(tabId, this.pages.committed(page));
  }

  private arrived(tabId: number, navigation: string | null): void {
    if (navigation === null) return;
    this.addArriving(navigation);
    // The pages of these were left, or never came.
    this.forgetArriving(tabId);
  }

  private forgetArriving(tabId: number): void {
    for (const [navigation, one] of this.arriving) if (one.tabId === tabId) this.arriving.delete(navigation);
  }

  private forgetOver(tabId: number): void {
    for (const [navigation, tab] of this.over) if (tab === tabId) this.over.delete(navigation);
  }

  /** A navigation ended with the answer from this URL, but without a page. */
  ended(tabId: number, url: string): void {
    const navigation = this.pages.ended(tabId, url);
    if (navigation !== null) this.release(tabId, navigation);
  }

  /** A navigation failed: counts what it registered, or registers yet, on the page that its tab still shows. */
  release(tabId: number, navigation: string): void {
    this.pages.forget(tabId, navigation);
    // A page that is left while it loads fails, too.
    if (this.pages.hasLeft(tabId, navigation)) {
      this.arriving.delete(navigation);
      return;
    }
    this.over.set(navigation, tabId);
    forgetOldest(this.over);
    this.addArriving(navigation);
  }

  private addArriving(navigation: string): void {
    const one = this.arriving.get(navigation);
    if (one === undefined) return;
    this.arriving.delete(navigation);
    this.add(one.tabId, one.count);
  }

  closed(tabId: number): void {
    this.pages.closed(tabId);
    this.forgetArriving(tabId);
    this.forgetOver(tabId);
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

  private add(tabId: number, count: number): void {
    const waiting = this.waiting.get(tabId);
    this.waiting.set(tabId, (waiting ?? 0) + count);
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

function forgetOldest(navigations: Map<string, unknown>): void {
  const [oldest = ''] = navigations.keys();
  if (navigations.size > MOST) navigations.delete(oldest);
}
