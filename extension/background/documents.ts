import browser from 'webextension-polyfill';
import type { Place } from '../../src/model/requests';
import type { Origin } from '../../src/model/units';
import { originOfUrl } from '../../src/parsing/origin';
import { toForget } from './crowding';
import { FairShare } from './fair-share';
import { FrameUrls } from './frame-urls';
import type { KnownDocument } from './known-document';
import type { PermissionsPolicies } from './permissions-policies';
import type { SessionKey, SessionMemory } from './session-memory';
import { shortened } from '../urls';

/** In ms: how long the documents of a page are remembered after it was left, in case a late answer comes. */
const MEMORY = 5 * 60_000;
/** The most documents of frames that are remembered of one tab. */
const MAX_DOCUMENTS = 500;
/**
 * In ms. Firefox may pass on a document's message before it tells of the document, or of the response that became it. Chrome may tell of
 * what a document asks for before it tells of the document.
 */
const PATIENCE = 1000;
const PATIENCE_WITH_RESPONSE = 500;
/** The most responses that wait for their document, divided among the tabs. Each may have 256 KB of headers. */
const MOST_WAITING = 100;
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
  readonly transitionQualifiers?: readonly string[];
}

/**
 * The documents of all tabs, also of pages that were left some minutes ago: what those still do counts on their own page. The browser's
 * session storage keeps them while the background sleeps.
 */
export class Documents {
  private readonly known = new Map<string, KnownDocument>();
  private readonly frameUrls = new FrameUrls();
  /** Called when a page is shown or left. */
  private readonly waiting = new Set<() => void>();
  private readonly waitingRoom = new FairShare(MOST_WAITING);
  private readonly loaded: Promise<void>;

  constructor(
    private readonly policies: PermissionsPolicies,
    private readonly memory: SessionMemory,
  ) {
    // What has no known policy must not count as if it had none.
    policies.whenForgotten((isOfForgotten) =>
      this.forget([...this.known.values()].filter((one) => isOfForgotten(one))),
    );
    this.loaded = this.load();
  }

  /** What wakes the background waits until it remembers what was there before. */
  listen(): void {
    browser.webNavigation.onCommitted.addListener((frame: Committed) => {
      void this.loaded.then(() => {
        if (frame.frameId === 0) this.leave(frame.tabId, frame.documentId);
        this.add(frame);
        // A page that comes back brings its frames along.
        if (frame.transitionQualifiers?.includes('forward_back') === true) void this.addFrames(frame.tabId);
      });
    });
    browser.tabs.onRemoved.addListener((tabId) => {
      void this.loaded.then(() => {
        this.leave(tabId);
        this.forgetUnless(tabId);
      });
    });
    // These events come in order, unlike those of requests in Firefox.
    browser.webNavigation.onBeforeNavigate.addListener(({ tabId, frameId, url }) => {
      void this.loaded.then(() => {
        if (frameId !== 0 && !this.memory.isOff) this.frameUrls.add(tabId, frameId, [shortened(url)]);
      });
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
    const place =
      maker.tabId < 0 ? this.placeOutsideTabs(maker.documentOrigin) : await this.placeInTabSoon(maker);
    return place ?? { contextOrigin: maker.documentOrigin ?? otherwise, obstacle: 'page-unknown' };
  }

  /** The place once the document is known. */
  private async placeInTabSoon(maker: Maker): Promise<Place | null> {
    if (!this.isKnown(maker)) {
      const leave = this.waitingRoom.take(1, `tab ${maker.tabId}`);
      if (leave === null) return null;
      await this.patience(() => this.isKnown(maker));
      leave();
    }
    return this.placeInTab(maker);
  }

  private placeInTab(maker: Maker): Place | null {
    const document = this.of(maker);
    const contextOrigin = this.pageOrigin(maker, document);
    if (contextOrigin === null) return null;
    const around = this.around(document?.id ?? maker.parentDocumentId);
    const [parent] = document === undefined ? around : [];
    if (parent === undefined) return { contextOrigin, obstacle: this.obstacle(maker.documentOrigin, around) };
    // A frame's own document is requested by the one around it.
    if (maker.documentId === undefined)
      return { contextOrigin, obstacle: this.obstacle(originOfUrl(parent.url), around) };
    // Its own policy, and that of its frame, cannot be told.
    if (!this.isOfParent(maker)) return null;
    const fresh = freshDocument(maker, maker.documentId, parent);
    return { contextOrigin, obstacle: this.obstacle(maker.documentOrigin, [fresh, ...around]) };
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
      frameUrls: [...one.frameUrls, ...this.frameUrls.of(one.frameId)],
    }));
    return this.policies.forbid(origin, frames) ? 'permissions-policy' : null;
  }

  /** As `find`, but the response that became the document may not be known yet. */
  async committed(id: string): Promise<KnownDocument | undefined> {
    await this.loaded;
    await this.patience(() => this.known.has(id));
    return this.known.get(id);
  }

  /** The document with this id; undefined if the browser did not tell of it. */
  async find(id: string): Promise<KnownDocument | undefined> {
    await this.loaded;
    await this.patience(() => this.isComplete(this.known.get(id)));
    return this.known.get(id);
  }

  /** Waits for what the browser will tell soon, or never. */
  private async patience(isTold: () => boolean): Promise<void> {
    for (let waited = 0; waited < PATIENCE && !this.memory.isOff && !isTold(); waited += 50)
      await new Promise((resolve) => setTimeout(resolve, 50));
  }

  private isKnown(maker: Maker): boolean {
    const { documentId, parentDocumentId } = maker;
    if (documentId === undefined && parentDocumentId !== undefined) return this.known.has(parentDocumentId);
    return this.of(maker) !== undefined || this.isOfParent(maker);
  }

  /** Whether a document that is not known is one that browsers tell nothing of: a fresh frame of a document, with its origin. */
  private isOfParent({ parentDocumentId, documentOrigin }: Maker): boolean {
    const origins = this.around(parentDocumentId).map(({ url }) => originOfUrl(url));
    return documentOrigin !== null && origins.find((origin) => origin !== null) === documentOrigin;
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
    await this.patience(() => page() !== undefined);
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
  private of(maker: Maker): KnownDocument | undefined {
    const { documentId, parentDocumentId, tabId, frameId, documentOrigin } = maker;
    if (documentId !== undefined) return this.known.get(documentId);
    // The request for a frame's own document.
    if (parentDocumentId !== undefined) return undefined;
    // Firefox does not name the document of a `keepalive` request nor of a worker. A frame other than the page never changes its page.
    const inFrame = [...this.known.values()].filter((one) => one.tabId === tabId && one.frameId === frameId);
    return inFrame.findLast(({ url }) => originOfUrl(url) === documentOrigin) ?? inFrame.at(-1);
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
  }: Omit<Committed, 'transitionQualifiers'>): void {
    if (id === undefined || this.memory.isOff) return;
    const url = shortened(whole);
    const parentId = parentDocumentId ?? null;
    // A page that was prepared moves to frame 0 when it is shown. Its requests and its policy were those of the other frame.
    const frameId = this.known.get(id)?.frameId ?? frame.frameId;
    const frameUrls = parentId === null ? [] : this.frameUrls.add(tabId, frameId, [url]);
    const isShown = documentLifecycle !== 'prerender';
    this.keep({ id, parentId, tabId, frameId, url, frameUrls, isShown, since: Date.now(), left: null });
    const frames = [...this.known.values()].filter((one) => one.tabId === tabId && one.parentId !== null);
    const crowding = frames.length > MAX_DOCUMENTS ? toForget(frames) : undefined;
    if (crowding !== undefined) this.forget([crowding]);
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
    this.frameUrls.forget(tabId, new Set([...this.known.values()].map(({ frameId }) => frameId)));
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
    for (const tabId of new Set(documents.map((one) => one.tabId))) this.forgetUnless(tabId);
  }

  /** Forgets the rest about a tab, unless documents of it are remembered: they may still get answers after it was closed. */
  private forgetUnless(tabId: number): void {
    if ([...this.known.values()].some((one) => one.tabId === tabId)) return;
    this.frameUrls.forget(tabId);
    this.policies.forgetTab(tabId);
  }

  private async load(): Promise<void> {
    const stored = await this.memory.load();
    this.policies.load(stored);
    const documents = stored
      .flatMap(({ kind, value }) => (kind === 'document' ? [value as KnownDocument] : []))
      .sort((one, other) => one.since - other.since);
    for (const document of documents) {
      this.known.set(document.id, document);
      if (document.parentId !== null)
        this.frameUrls.add(document.tabId, document.frameId, document.frameUrls);
    }
    // On installation pages are there already.
    if (documents.length === 0) await this.addAll();
  }

  private async addAll(): Promise<void> {
    for (const { id: tabId = -1 } of await browser.tabs.query({})) await this.addFrames(tabId);
  }

  private async addFrames(tabId: number): Promise<void> {
    const frames = await browser.webNavigation.getAllFrames({ tabId }).catch(() => null);
    for (const frame of frames ?? []) this.add({ ...frame, tabId });
  }
}

/** What a frame shows as long as it shows nothing of its own. */
const freshDocument = ({ tabId, frameId }: Frame, id: string, parent: KnownDocument): KnownDocument => ({
  ...parent,
  id,
  parentId: parent.id,
  tabId,
  frameId,
  url: 'about:blank',
  frameUrls: ['about:blank'],
});

const sessionKey = ({ id, tabId, parentId }: KnownDocument): SessionKey => ({
  kind: 'document',
  of: parentId === null ? 'page' : 'frames',
  tabId,
  id,
});
