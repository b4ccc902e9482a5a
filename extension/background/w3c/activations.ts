import browser from 'webextension-polyfill';
import { siteOf } from '../../../src/model/site';
import { originOfUrl } from '../../../src/model/origin';
import type { SessionKey, SessionMemory } from '../documents/session-memory';
import { steadyNow } from '../state/steady-time';

/** In ms. More than browsers' transient activation of five seconds, because a page must load after a press that leads to it. */
const DURATION = 10_000;

/** How the person themself goes to a page, without a page that leads there. */
const byBrowser: ReadonlySet<string> = new Set([
  'typed',
  'auto_bookmark',
  'generated',
  'keyword',
  'keyword_generated',
]);

/** What is known of a tab (W3C Attribution, "Attribution API Activation"). */
interface Activation {
  /** Whether a site of the page has used an activation. */
  readonly isEnabled: boolean;
  /** By `steadyNow`. */
  readonly last: number;
  /** That of the page; null: unknown. */
  readonly site: string | null;
}

const none: Activation = { isEnabled: false, last: 0, site: null };

/** Which tabs a person has activated: each activation lets the frames of one page call the API, until the tab shows another site. */
export class Activations {
  private readonly tabs = new Map<number, Activation>();
  private readonly loaded: Promise<void>;

  constructor(
    private readonly memory: SessionMemory,
    private readonly now = steadyNow,
  ) {
    this.loaded = memory.load().then((entries) => {
      for (const { kind, tabId, value } of entries)
        if (kind === 'activation' && !this.tabs.has(tabId)) this.tabs.set(tabId, value as Activation);
    });
  }

  listen(): void {
    browser.webNavigation.onCommitted.addListener(({ tabId, frameId, url, transitionType }) => {
      if (frameId === 0) void this.navigated(tabId, url, transitionType);
    });
    browser.tabs.onRemoved.addListener((tabId) => {
      this.tabs.delete(tabId);
      this.memory.remove([keyOf(tabId)]);
    });
  }

  /** A person did something in a document of the tab. */
  async activated(tabId: number): Promise<void> {
    await this.loaded;
    this.set(tabId, { ...this.of(tabId), last: this.now() });
  }

  async navigated(tabId: number, url: string, transitionType: string): Promise<void> {
    await this.loaded;
    const before = this.of(tabId);
    const origin = originOfUrl(url);
    const site = origin === null ? null : siteOf(origin);
    const isByBrowser = byBrowser.has(transitionType);
    const isSameSite = site !== null && site === before.site && !isByBrowser;
    this.set(tabId, {
      isEnabled: before.isEnabled && isSameSite,
      last: isByBrowser ? this.now() : before.last,
      site,
    });
  }

  /** W3C Attribution, "check attribution API activation": whether the API may be used, which uses the last activation. */
  async use(tabId: number): Promise<boolean> {
    await this.loaded;
    const before = this.of(tabId);
    if (before.isEnabled) return true;
    if (before.last + DURATION < this.now()) return false;
    // The draft keeps the time, so that the next site could use the same activation; its text says that each serves one site.
    this.set(tabId, { ...before, isEnabled: true, last: 0 });
    return true;
  }

  private of(tabId: number): Activation {
    return this.tabs.get(tabId) ?? none;
  }

  private set(tabId: number, activation: Activation): void {
    this.tabs.set(tabId, activation);
    this.memory.set({ ...keyOf(tabId), value: activation });
  }
}

const keyOf = (tabId: number): SessionKey => ({ kind: 'activation', of: 'requests', tabId, id: '' });
