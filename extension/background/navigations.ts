import browser, { type WebRequest } from 'webextension-polyfill';
import type { PagePlace } from '../../src/model/requests';
import type { Origin } from '../../src/model/units';
import type { Committed } from './documents';
import { makerOrigin, type Details } from './request-details';
import { everyPage, withoutFragment } from '../urls';

/** In ms: how long a click and its navigation may be apart. On a loaded machine the browser tells of one seconds after the other. */
const PATIENCE = 30_000;
/** The most navigations that are remembered of one tab: a page that begins many makes those of others no less known. */
const MAX_NAVIGATIONS = 20;
/** The most requests that are remembered, to know their redirects. */
const MAX_REQUESTS = 1000;

/** A click, or a call of `window.open`, whose navigation sources count once the navigation begins. */
export interface Click {
  readonly place: PagePlace;
  /** Of the document with the click; null if it is opaque. */
  readonly documentOrigin: Origin | null;
  /** The document with the click, and those around it: their URLs or origins. */
  readonly makers: readonly string[];
  /** Where it leads. */
  readonly url: string;
  readonly tabId: number;
  /** The page with the click. */
  readonly pageId: string;
  /** Its own id. */
  readonly navigation: string;
  /** The URLs of its `attributionsrc`. */
  readonly sources: readonly string[];
}

interface Navigation {
  readonly url: string;
  readonly tabId: number;
  /** Of the document that started it; null if it is opaque, or a person started it from outside of pages. */
  readonly documentOrigin: Origin | null;
  /** In ms since the background began. */
  readonly time: number;
  /** The page that it led to, once it is there: no click on that page started it. */
  pageId?: string;
}

/** Matches clicks with the navigations that they start: one for each. Events of the two come in any order. */
export class Navigations {
  /** By tab: the one that it was opened from. */
  private readonly openers = new Map<number, number>();
  private clicks: Click[] = [];
  /** The last navigations' requests. */
  private readonly requests = new Set<string>();
  /** Those that no click has claimed. */
  private begun: Navigation[] = [];

  constructor(private readonly onDecided: (click: Click, isFollowed: boolean) => void) {}

  listen(): void {
    browser.webNavigation.onCreatedNavigationTarget.addListener(({ tabId, sourceTabId }) => {
      this.openers.set(tabId, sourceTabId);
      // The tab's navigation may have begun before.
      this.match();
    });
    browser.tabs.onRemoved.addListener((tabId) => void this.openers.delete(tabId));
    browser.webRequest.onBeforeRequest.addListener(
      (details: Begun) => {
        // Chrome also tells of pages that it prepares and perhaps never shows.
        if (details.documentLifecycle !== 'prerender') this.began(details);
        return undefined;
      },
      { ...everyPage, types: ['main_frame'] },
    );
    browser.webNavigation.onCommitted.addListener(({ tabId, frameId, documentId }: Committed) => {
      if (frameId !== 0 || documentId === undefined) return;
      for (const navigation of this.begun) if (navigation.tabId === tabId) navigation.pageId ??= documentId;
    });
  }

  /** The tab that a tab was opened from, if any. */
  openerOf(tabId: number): number | null {
    return this.openers.get(tabId) ?? null;
  }

  clicked(click: Click): void {
    this.clicks.push(click);
    this.match();
    setTimeout(() => {
      if (this.clicks.includes(click)) this.end(click, false);
    }, PATIENCE);
  }

  private began(details: Begun): void {
    const { tabId, url, requestId } = details;
    // A redirect is no navigation of its own.
    if (this.requests.has(requestId)) return;
    this.requests.add(requestId);
    const [oldestRequest] = this.requests;
    if (this.requests.size > MAX_REQUESTS && oldestRequest !== undefined) this.requests.delete(oldestRequest);
    // The device's clock may be turned.
    const now = performance.now();
    const recent = this.begun.filter(({ time }) => time > now - PATIENCE);
    const [oldest, ...others] = recent.filter((one) => one.tabId === tabId);
    const kept = others.length + 1 < MAX_NAVIGATIONS ? recent : recent.filter((one) => one !== oldest);
    this.begun = [
      ...kept,
      { tabId, url: withoutFragment(url), documentOrigin: makerOrigin(details), time: now },
    ];
    this.match();
  }

  private match(): void {
    for (const click of this.clicks) {
      const followed = this.begun.find((navigation) => this.isOf(click, navigation));
      if (followed === undefined) continue;
      this.begun = this.begun.filter((one) => one !== followed);
      this.end(click, true);
    }
  }

  private end(click: Click, isFollowed: boolean): void {
    this.clicks = this.clicks.filter((one) => one !== click);
    this.onDecided(click, isFollowed);
  }

  private isOf(click: Click, { tabId, url, pageId, documentOrigin }: Navigation): boolean {
    return (
      url === click.url &&
      pageId !== click.pageId &&
      // Otherwise a frame could claim where another document's link leads.
      (documentOrigin === null || documentOrigin === click.documentOrigin) &&
      (tabId === click.tabId || this.openerOf(tabId) === click.tabId)
    );
  }
}

type Begun = Details<WebRequest.OnBeforeRequestDetailsType>;
