import browser from 'webextension-polyfill';
import type { Place } from '../../src/model/requests';
import type { Origin } from '../../src/model/units';
import { originOfUrl } from '../../src/parsing/origin';
import { toForget } from './crowding';
import type { KnownDocument } from './known-document';
import type { PermissionsPolicies } from './permissions-policies';
import type { SessionKey, SessionMemory } from './session-memory';
import { shortened } from './urls';

/** In ms: how long the documents of a page are remembered after it was left, in case a late answer comes. */
const MEMORY = 5 * 60_000;
/** The most documents of frames that are remembered of one tab. */
const MAX_DOCUMENTS = 500;
/** In ms. Firefox may pass on a document's message before it tells of the document, or of the response that became it. */
const PATIENCE = 1000;
const PATIENCE_WITH_RESPONSE = 500;
/** The most URLs that are remembered of a frame, and the most frames with such URLs. */
const MAX_URLS = 10;
const MAX_FRAMES = 5000;
/** What both browsers tell and the polyfill's types lack. */
export interface DocumentIds {
  readonly documentId?: string;
  readonly parentDocumentId?: string;
  /** Only Chrome prepares pages before somebody goes there. */
  readonly documentLifecycle?: 'prerender' | 'active' | 'cached' | 'pending_deletion';
}

/** Who made a request or sent a message, as the browser says. */
export interface Maker extends Frame {
  /** -1: the document is the page. */
  readonly parentFrameId: number;
  /** Of the document or worker; null if it is opaque. */
  readonly documentOrigin: Origin | null;
}

interface Frame extends DocumentIds {
  readonly tabId: number;
  readonly frameId: number;
}

/** A document that a frame shows now. */
export interface Committed extends Frame {
  readonly url: string;
}

/**
 * The documents of all tabs, also of pages that were left some minutes ago: what those still do counts on their own page. The browser's
 * session storage keeps them while the background sleeps.
 */
export class Documents {
  private readonly known = new Map<string, KnownDocument>();
  /** By frame. */
  private readonly frameUrls = new Map<number, readonly string[]>();
  /** Called when a page is shown or left. */
  private readonly waiting = new Set<() => void>();
  private readonly loaded: Promise<void>;

  constructor(
    private readonly policies: PermissionsPolicies,
    private readonly memory: SessionMemory,
  ) {
    this.loaded = this.load();
  }

  listen(): void {
    browser.webNavigation.onCommitted.addListener((frame: Committed) => {
      if (frame.frameId === 0) this.leave(frame.tabId, frame.documentId);
      this.add(frame);
    });
    browser.tabs.onRemoved.addListener((tabId) => {
      this.leave(tabId);
      this.policies.forgetTab(tabId);
    });
    // These events come in order, unlike those of requests in Firefox.
    browser.webNavigation.onBeforeNavigate.addListener(({ frameId, url }) => {
      if (frameId !== 0 && !this.memory.isOff) this.addUrl(frameId, shortened(url));
    });
  }

  /** Starts or stops to remember documents: not before a person agrees, nor in a pause. */
  turn(isOn: boolean): void {
    const { isOff: wasOff } = this.memory;
    this.memory.turn(isOn);
    if (isOn && wasOff) void this.addAll();
    if (isOn) return;
    this.known.clear();
    this.frameUrls.clear();
    this.policies.clear();
  }

  /** The page of what a document or worker does. If it is unknown, the place has the maker's own origin, or else `otherwise`. */
  async placeOf(maker: Maker, otherwise: Origin): Promise<Place> {
    await this.loaded;
    const place = maker.tabId < 0 ? this.placeOutsideTabs(maker.documentOrigin) : this.placeInTab(maker);
    return place ?? { contextOrigin: maker.documentOrigin ?? otherwise, obstacle: 'page-unknown' };
  }

  private placeInTab(maker: Maker): Place | null {
    const document = this.of(maker);
    const contextOrigin = this.pageOrigin(maker, document);
    if (contextOrigin === null) return null;
    const around = this.around(document?.id ?? maker.parentDocumentId);
    // A frame's own document is requested by the one around it.
    const origin =
      document === undefined && around[0] !== undefined ? originOfUrl(around[0].url) : maker.documentOrigin;
    return { contextOrigin, obstacle: this.obstacle(origin, around) };
  }

  /**
   * Workers are in no tab, nor are requests that outlive their tab. Null unless all documents of their origin are on pages of one origin that
   * are there now, or, if there are none, that were left.
   */
  private placeOutsideTabs(origin: Origin | null): Place | null {
    if (origin === null) return null;
    const pages = [...this.known.values()]
      .filter(({ url }) => originOfUrl(url) === origin)
      .map(({ id }) => this.around(id))
      .filter((around) => around.at(-1)?.parentId === null);
    const present = pages.filter((around) => around.at(-1)?.left === null);
    const possible = present.length === 0 ? pages : present;
    const [contextOrigin = null, ...others] = new Set(
      possible.map((around) => originOfUrl(around.at(-1)?.url ?? '')),
    );
    if (contextOrigin === null || others.length > 0) return null;
    const obstacles = possible.map((around) => this.obstacle(origin, around));
    return { contextOrigin, obstacle: obstacles.find((one) => one !== null) ?? null };
  }

  private obstacle(origin: Origin | null, around: readonly KnownDocument[]): Place['obstacle'] {
    const frames = around.map((one) => ({
      ...one,
      frameUrls: [...one.frameUrls, ...(this.frameUrls.get(one.frameId) ?? [])],
    }));
    return this.policies.forbid(origin, frames) ? 'permissions-policy' : null;
  }

  /** The document with this id; undefined if the browser did not tell of it. */
  async find(id: string): Promise<KnownDocument | undefined> {
    await this.loaded;
    for (
      let waited = 0;
      waited < PATIENCE && !this.memory.isOff && !this.isComplete(this.known.get(id));
      waited += 50
    )
      await new Promise((resolve) => setTimeout(resolve, 50));
    return this.known.get(id);
  }

  /**
   * Resolves once the page is shown that has this frame, or is left: to whether it was shown. The browser may still prepare it.
   * @param frameId before the page is shown
   */
  async isShown(tabId: number, frameId: number): Promise<boolean> {
    await this.loaded;
    const page = (): KnownDocument | undefined => {
      const inFrame = [...this.known.values()].findLast(
        (one) => one.tabId === tabId && one.frameId === frameId,
      );
      return this.around(inFrame?.id).at(-1);
    };
    // The response comes before the document that it becomes.
    for (let waited = 0; waited < PATIENCE && page() === undefined; waited += 50)
      await new Promise((resolve) => setTimeout(resolve, 50));
    while (page()?.isShown === false && page()?.left === null)
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    return page()?.isShown === true;
  }

  /** Whether all that the browser will tell of a document is known. Not all documents are responses that it tells of. */
  private isComplete(document: KnownDocument | undefined): boolean {
    if (document === undefined) return false;
    return this.policies.hasResponse(document) || document.since < Date.now() - PATIENCE_WITH_RESPONSE;
  }

  /** The id of the page that a document is on. */
  pageIdOf(documentId: string): string {
    return this.around(documentId).at(-1)?.id ?? documentId;
  }

  /** The document that made a request, if it is known. */
  private of({ documentId, parentDocumentId, tabId, frameId }: Frame): KnownDocument | undefined {
    if (documentId !== undefined) return this.known.get(documentId);
    // The request for a frame's own document.
    if (parentDocumentId !== undefined) return undefined;
    // Firefox does not name the document of a `keepalive` request nor of a worker. A frame other than the page never changes its page.
    return [...this.known.values()].findLast((one) => one.tabId === tabId && one.frameId === frameId);
  }

  private pageOrigin(maker: Maker, document: KnownDocument | undefined): Origin | null {
    const { parentFrameId, parentDocumentId, documentOrigin } = maker;
    if (parentDocumentId === undefined && (parentFrameId === -1 || document?.parentId === null))
      return documentOrigin;
    const page = this.around(parentDocumentId ?? document?.id).at(-1);
    return page?.parentId === null ? originOfUrl(page.url) : null;
  }

  /** The tabs with documents of an origin. */
  tabsOf(origin: Origin | null): readonly number[] {
    return [...this.known.values()]
      .filter(({ url }) => originOfUrl(url) === origin)
      .map(({ tabId }) => tabId);
  }

  /** The document and those around it, out to the page, as far as they are known. */
  private around(id: string | null | undefined): readonly KnownDocument[] {
    const document = this.known.get(id ?? '');
    return document === undefined ? [] : [document, ...this.around(document.parentId)];
  }

  private add({
    documentId: id,
    parentDocumentId,
    tabId,
    url: whole,
    documentLifecycle,
    ...frame
  }: Committed): void {
    if (id === undefined || this.memory.isOff) return;
    const url = shortened(whole);
    const parentId = parentDocumentId ?? null;
    // A page that was prepared moves to frame 0 when it is shown. Its requests and its policy were those of the other frame.
    const frameId = this.known.get(id)?.frameId ?? frame.frameId;
    const frameUrls = parentId === null ? [] : this.addUrl(frameId, url);
    const isShown = documentLifecycle !== 'prerender';
    this.keep({ id, parentId, tabId, frameId, url, frameUrls, isShown, since: Date.now(), left: null });
    const frames = [...this.known.values()].filter((one) => one.tabId === tabId && one.parentId !== null);
    const crowding = frames.length > MAX_DOCUMENTS ? toForget(frames) : undefined;
    if (crowding !== undefined) this.forget([crowding]);
  }

  private addUrl(frameId: number, url: string): readonly string[] {
    const urls = [...new Set([...(this.frameUrls.get(frameId) ?? []), url])].slice(0, MAX_URLS);
    this.frameUrls.set(frameId, urls);
    const [oldest] = this.frameUrls.keys();
    if (this.frameUrls.size > MAX_FRAMES && oldest !== undefined) this.frameUrls.delete(oldest);
    return urls;
  }

  /** @param pageId the page that takes the tab over */
  private leave(tabId: number, pageId?: string): void {
    const now = Date.now();
    for (const one of this.known.values())
      if (one.tabId === tabId && one.parentId === null && one.left === null && one.id !== pageId)
        this.keep({ ...one, left: now });
    this.forget(
      [...this.known.values()].filter(({ id }) => {
        const page = this.around(id).at(-1);
        return page?.parentId !== null || (page.left !== null && page.left < now - MEMORY);
      }),
    );
  }

  private keep(document: KnownDocument): void {
    this.known.set(document.id, document);
    this.memory.set({ ...sessionKey(document), value: document });
    for (const resume of this.waiting) resume();
    this.waiting.clear();
  }

  private forget(documents: readonly KnownDocument[]): void {
    if (documents.length === 0) return;
    for (const { id } of documents) this.known.delete(id);
    this.memory.remove(documents.map(sessionKey));
  }

  private async load(): Promise<void> {
    const stored = await this.memory.load();
    this.policies.load(stored);
    const documents = stored.flatMap(({ kind, value }) =>
      kind === 'document' ? [value as KnownDocument] : [],
    );
    for (const document of documents) {
      const newer = this.known.get(document.id);
      if (newer === undefined) this.known.set(document.id, document);
      // It woke the background, perhaps by being shown.
      else this.keep({ ...newer, frameId: document.frameId });
    }
    // On installation pages are there already.
    if (documents.length === 0) await this.addAll();
  }

  private async addAll(): Promise<void> {
    for (const { id: tabId = -1 } of await browser.tabs.query({})) {
      const frames = await browser.webNavigation.getAllFrames({ tabId }).catch(() => null);
      for (const frame of frames ?? []) this.add({ ...frame, tabId });
    }
  }
}

const sessionKey = ({ id, tabId, parentId }: KnownDocument): SessionKey => ({
  kind: 'document',
  of: parentId === null ? 'page' : 'frames',
  tabId,
  id,
});
