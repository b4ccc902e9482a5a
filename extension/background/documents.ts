import browser from 'webextension-polyfill';
import type { Asker, Place } from '../../src/model/requests';
import type { Origin } from '../../src/model/units';
import { FairShare } from './fair-share';
import { inheritedOrigin, type KnownDocument } from './known-document';
import type { PermissionsPolicies } from './permissions-policies';
import { RememberedDocuments, type CommittedDocument, type DocumentIds } from './remembered-documents';
import type { SessionMemory } from './session-memory';
import { steadyNow } from './steady-time';

/**
 * In ms. Firefox may pass on a document's message before it tells of the document, or of the response that became it. Chrome may tell of
 * what a document asks for before it tells of the document.
 */
const PATIENCE = 1000;
const PATIENCE_WITH_RESPONSE = 500;
/** In bytes: the responses that may wait for their document, divided among the tabs. A small one counts for more, because each takes time. */
const WAITING_ROOM = 2e6;
const LEAST_SIZE = 20_000;

/** Who made a request or sent a message, as the browser says. */
export interface Maker extends Asker, DocumentIds {
  /** In bytes: how much of a response waits with it. */
  readonly size?: number;
}

/** A document that a frame shows now. */
export interface Committed extends CommittedDocument {
  readonly transitionQualifiers?: readonly string[];
}

/**
 * The documents of all tabs, also of pages that were left some minutes ago: what those still do counts on their own page. The browser's
 * session storage keeps them while the background sleeps.
 */
export class Documents {
  private readonly known: RememberedDocuments;
  /** By tab: called when a document of it is added or left. */
  private readonly waiting = new Map<number, (() => void)[]>();
  private readonly waitingRoom = new FairShare(WAITING_ROOM);
  private isLoaded = false;
  /** Resolves to the documents that an earlier run of the background knew. */
  private readonly loaded: Promise<ReadonlySet<string>>;

  constructor(
    private readonly policies: PermissionsPolicies,
    private readonly memory: SessionMemory,
  ) {
    this.known = new RememberedDocuments(policies, memory, (tabId) => {
      const waiting = this.waiting.get(tabId) ?? [];
      this.waiting.delete(tabId);
      for (const resume of waiting) resume();
    });
    this.loaded = this.known.load().then(async (ids) => {
      // On installation pages are there already.
      if (ids.size === 0) await this.addAll();
      this.isLoaded = true;
      return ids;
    });
  }

  /** What wakes the background waits until it remembers what was there before. */
  listen(): void {
    browser.webNavigation.onCommitted.addListener((frame: Committed) => {
      void this.loaded.then(() => {
        if (frame.frameId === 0) this.known.leave(frame.tabId, frame.documentId);
        this.known.add(frame);
        // A page that comes back brings its frames along.
        if (frame.transitionQualifiers?.includes('forward_back') === true) void this.addFrames(frame.tabId);
      });
    });
    browser.tabs.onRemoved.addListener((tabId) => {
      void this.loaded.then(() => {
        this.known.leave(tabId);
        this.known.forgetEmptyTab(tabId);
      });
    });
    // These events come in order, unlike those of requests in Firefox.
    browser.webNavigation.onBeforeNavigate.addListener(({ tabId, frameId, url }) => {
      void this.loaded.then(() => {
        this.known.addUrl(tabId, frameId, url);
      });
    });
  }

  /** Starts or stops to remember documents: not before a person agrees, nor in a pause. */
  turn(isOn: boolean): void {
    const { isOff: wasOff } = this.memory;
    this.memory.turn(isOn);
    if (isOn && wasOff) void this.addAll();
    if (!isOn) this.known.clear();
  }

  /** The page of what a document or worker does. If it is unknown, the place has the maker's own origin, or else `otherwise`. */
  async placeOf(maker: Maker, otherwise: Origin): Promise<Place> {
    await this.loaded;
    const unknown = unknownPlace(maker, otherwise);
    if (maker.tabId < 0 || this.isKnown(maker)) return this.placeNow(maker, otherwise) ?? unknown;
    const leave = this.waitingRoom.take(Math.max(LEAST_SIZE, maker.size ?? 0), `tab ${maker.tabId}`);
    if (leave === null) return unknown;
    await this.patience(() => this.isKnown(maker));
    leave();
    return this.placeNow(maker, otherwise) ?? unknown;
  }

  /** As `placeOf`, without waiting: null while the browser may still tell of the document. */
  placeNow(maker: Maker, otherwise: Origin): Place | null {
    if (!this.isLoaded || (maker.tabId >= 0 && !this.isKnown(maker))) return null;
    const place = maker.tabId < 0 ? this.placeOutsideTabs(maker.documentOrigin) : this.placeInTab(maker);
    return place ?? unknownPlace(maker, otherwise);
  }

  /**
   * As `placeOf`, for what an earlier run of the background saw. Only what pages did can be told: the end of that run may have lost the
   * attribute of a frame, but no page is remembered without its header.
   */
  async placeLater(maker: Maker, otherwise: Origin): Promise<Place> {
    const { documentId = '' } = maker;
    const isRemembered = (await this.loaded).has(documentId);
    const isOfPage = isRemembered && this.known.get(documentId)?.parentId === null;
    return (isOfPage ? this.placeInTab(maker) : null) ?? unknownPlace(maker, otherwise);
  }

  private placeInTab(maker: Maker): Place | null {
    const document = this.of(maker);
    const contextOrigin = this.pageOrigin(maker, document);
    if (contextOrigin === null) return null;
    const around = this.known.around(document?.id ?? maker.parentDocumentId);
    const [parent] = document === undefined ? around : [];
    if (parent === undefined) return { contextOrigin, obstacle: this.obstacle(maker.documentOrigin, around) };
    // A frame's own document is requested by the one around it.
    if (maker.documentId === undefined)
      return { contextOrigin, obstacle: this.obstacle(parent.origin, around) };
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
    const pages = this.known
      .ofOrigin(origin)
      .map(({ id }) => this.known.around(id))
      .filter((around) => around.at(-1)?.parentId === null);
    const present = pages.filter((around) => around.at(-1)?.left === null);
    const possible = present.length === 0 ? pages : present;
    const [contextOrigin = null, ...others] = new Set(
      possible.map((around) => around.at(-1)?.origin ?? null),
    );
    if (contextOrigin === null || others.length > 0) return null;
    const obstacles = possible.map((around) => this.obstacle(origin, around));
    return { contextOrigin, obstacle: obstacles.find((one) => one !== null) ?? null };
  }

  private obstacle(origin: Origin | null, around: readonly KnownDocument[]): Place['obstacle'] {
    const frames = around.map((one) => ({
      ...one,
      frameUrls: this.known.urlsOfFrame(one),
    }));
    return this.policies.forbid(origin, frames) ? 'permissions-policy' : null;
  }

  /** As `find`, but the response that became the document may not be known yet. */
  async committed(id: string): Promise<KnownDocument | undefined> {
    await this.loaded;
    await this.patience(() => this.known.get(id) !== undefined);
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
    if (documentId === undefined && parentDocumentId !== undefined)
      return this.known.get(parentDocumentId) !== undefined;
    return this.of(maker) !== undefined || this.isOfParent(maker);
  }

  /** Whether a document that is not known is one that browsers tell nothing of: a fresh frame of a document, with its origin. */
  private isOfParent({ parentDocumentId, documentOrigin }: Maker): boolean {
    return documentOrigin !== null && inheritedOrigin(this.known.around(parentDocumentId)) === documentOrigin;
  }

  /**
   * Resolves once the page is shown that has this frame, or is left: to whether it was shown. The browser may still prepare it.
   * @param frameId before the page is shown
   */
  async isShown(tabId: number, frameId: number): Promise<boolean> {
    await this.loaded;
    const page = (): KnownDocument | undefined => {
      const inFrame = this.known.inFrame(tabId, frameId).at(-1);
      return this.known.around(inFrame?.id).at(-1);
    };
    // The response comes before the document that it becomes.
    await this.patience(() => page() !== undefined);
    while (page()?.isShown === false && page()?.left === null) await this.change(tabId);
    return page()?.isShown === true;
  }

  /** Resolves when a document of a tab is added or left. */
  private change(tabId: number): Promise<void> {
    const waiting = this.waiting.get(tabId) ?? [];
    this.waiting.set(tabId, waiting);
    return new Promise((resume) => waiting.push(resume));
  }

  /** Whether all that the browser will tell of a document is known. Not all documents are responses that it tells of. */
  private isComplete(document: KnownDocument | undefined): boolean {
    if (document === undefined) return false;
    return this.policies.hasResponse(document) || document.since < steadyNow() - PATIENCE_WITH_RESPONSE;
  }

  /** The id of the page that a document is on. */
  pageIdOf(documentId: string): string {
    return this.known.around(documentId).at(-1)?.id ?? documentId;
  }

  /** The URLs of a document and those around it, out to the page, but for those that have no server. */
  urlsAround(documentId: string): readonly string[] {
    return this.known.around(documentId).flatMap(({ url }) => (/^https?:/.test(url) ? [url] : []));
  }

  /** The document that made a request, if it is known. */
  private of(maker: Maker): KnownDocument | undefined {
    const { documentId, parentDocumentId, tabId, frameId, documentOrigin } = maker;
    if (documentId !== undefined) return this.known.get(documentId);
    // The request for a frame's own document.
    if (parentDocumentId !== undefined) return undefined;
    // Firefox does not name the document of a `keepalive` request nor of a worker. A frame other than the page never changes its page.
    const inFrame = this.known.inFrame(tabId, frameId);
    return inFrame.findLast(({ origin }) => origin === documentOrigin) ?? inFrame.at(-1);
  }

  private pageOrigin(maker: Maker, document: KnownDocument | undefined): Origin | null {
    const { parentFrameId, parentDocumentId, documentOrigin } = maker;
    if (parentDocumentId === undefined && (parentFrameId === -1 || document?.parentId === null))
      return documentOrigin;
    const page = this.known.around(parentDocumentId ?? document?.id).at(-1);
    return page?.parentId === null ? page.origin : null;
  }

  /** The tabs with documents of an origin. */
  tabsOf(origin: Origin | null): readonly number[] {
    return this.known.ofOrigin(origin).map(({ tabId }) => tabId);
  }

  private async addAll(): Promise<void> {
    for (const { id: tabId = -1 } of await browser.tabs.query({})) await this.addFrames(tabId);
  }

  private async addFrames(tabId: number): Promise<void> {
    const frames = await browser.webNavigation.getAllFrames({ tabId }).catch(() => null);
    for (const frame of frames ?? []) this.known.add({ ...frame, tabId });
  }
}

const unknownPlace = ({ documentOrigin }: Maker, otherwise: Origin): Place => ({
  contextOrigin: documentOrigin ?? otherwise,
  obstacle: 'page-unknown',
});

/** What a frame shows as long as it shows nothing of its own. */
const freshDocument = ({ tabId, frameId }: Maker, id: string, parent: KnownDocument): KnownDocument => ({
  ...parent,
  id,
  parentId: parent.id,
  tabId,
  frameId,
  url: 'about:blank',
  origin: null,
  frameUrls: ['about:blank'],
});
