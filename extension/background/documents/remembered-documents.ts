import type { Origin } from '../../../src/model/units';
import { originOfUrl } from '../../../src/model/origin';
import { shortened } from '../../urls';
import { toForget } from './crowding';
import type { DocumentHeaders } from './document-headers';
import { FirstUrls } from './first-urls';
import { hasServer, type KnownDocument, type Level } from './known-document';
import { everything, type Policy } from './permissions-policy';
import type { SessionKey, SessionMemory } from './session-memory';
import { steadyNow } from '../state/steady-time';

/** In ms: how long the documents of a page are remembered after it was left, in case a late answer comes. */
const MEMORY = 5 * 60_000;
/** The most documents of frames that are remembered of one tab. */
const MAX_DOCUMENTS = 500;
/** The most pages that are remembered of one tab after they were left. */
const MAX_LEFT_PAGES = 100;

/** What both browsers tell and the polyfill's types lack. */
export interface DocumentIds {
  readonly documentId?: string;
  readonly parentDocumentId?: string;
  /** Only Chrome prepares pages before somebody goes there. */
  readonly documentLifecycle?: 'prerender' | 'active' | 'cached' | 'pending_deletion';
}

/** A document that a frame shows now. */
export interface CommittedDocument extends DocumentIds {
  readonly tabId: number;
  readonly frameId: number;
  readonly url: string;
}

/** The documents that are remembered, in the order in which they came. The browser's session storage keeps them while the background sleeps. */
export class RememberedDocuments {
  private readonly known = new Map<string, KnownDocument>();
  private readonly firstUrls: FirstUrls;

  /** @param changed is called when a document of a tab is added or left, or more is known of it */
  constructor(
    private readonly headers: DocumentHeaders,
    private readonly memory: SessionMemory,
    private readonly changed: (tabId: number) => void,
  ) {
    this.firstUrls = new FirstUrls(memory);
    memory.whenTurnedOn(() => {
      for (const parentId of this.firstUrls.storeAll()) this.loseFrames(this.get(parentId));
    });
  }

  all(): readonly KnownDocument[] {
    return [...this.known.values()];
  }

  get(id: string | null | undefined): KnownDocument | undefined {
    return this.known.get(id ?? '');
  }

  /** Those that a frame of a tab has shown, the newest last. */
  inFrame(tabId: number, frameId: number): readonly KnownDocument[] {
    return this.all().filter((one) => one.tabId === tabId && one.frameId === frameId);
  }

  /**
   * The document around a frame. A frame never changes its page, but if the page is left meanwhile, Firefox names the next page.
   * @param told the document that the browser names
   */
  parentIn(tabId: number, frameId: number, told: string | undefined): string | undefined {
    return this.firstUrls.parentOf(frameId) ?? this.inFrame(tabId, frameId)[0]?.parentId ?? told;
  }

  ofOrigin(origin: Origin | null): readonly KnownDocument[] {
    return this.all().filter((one) => one.origin === origin);
  }

  /** The document and those around it, out to the page, as far as they are known. */
  around(id: string | null | undefined): readonly KnownDocument[] {
    const document = this.get(id);
    return document === undefined ? [] : [document, ...this.around(document.parentId)];
  }

  /** The URL that the frame of a document was first to show; null if the background did not hear of it. */
  firstUrlOf({ frameId }: KnownDocument): string | null {
    return this.firstUrls.of(frameId);
  }

  /** Takes what a frame is to show. Only the first URL says which element of the document around is the frame. */
  begin(tabId: number, frameId: number, url: string, parentId: string | undefined): void {
    const parent = this.get(parentId);
    if (frameId === 0 || this.memory.isOff || parent?.hasKnownFrames !== true) return;
    if (this.firstUrls.of(frameId) !== null || this.inFrame(tabId, frameId).length > 0) return;
    if (!this.firstUrls.add(tabId, frameId, parent.id, levelIn(parent), shortened(url)))
      this.loseFrames(parent);
  }

  /** What is forgotten of one frame must not make a later URL look like its first. */
  private loseFrames(parent: KnownDocument | undefined): void {
    if (parent?.hasKnownFrames === true) this.keep({ ...parent, hasKnownFrames: false });
  }

  /** @param isNew whether the browser reports it as it loads; false if it was there before */
  add(
    { documentId: id, parentDocumentId, tabId, url, ...committed }: CommittedDocument,
    isNew: boolean,
  ): void {
    if (id === undefined || this.memory.isOff) return;
    const { frameId } = committed;
    // A page that Chrome prepares is in no frame, either.
    const parentId = parentDocumentId === undefined ? null : this.parentIn(tabId, frameId, parentDocumentId);
    this.keep({
      ...(this.get(id) ?? this.fresh(id, parentId ?? null, tabId, frameId, shortened(url), isNew)),
      isShown: committed.documentLifecycle !== 'prerender',
      left: null,
    });
    const frames = this.all().filter((one) => one.tabId === tabId && one.parentId !== null);
    const crowding = frames.length > MAX_DOCUMENTS ? toForget(frames) : undefined;
    if (crowding !== undefined) this.forget([crowding]);
  }

  private fresh(
    id: string,
    parentId: string | null,
    tabId: number,
    frameId: number,
    url: string,
    isNew: boolean,
  ): KnownDocument {
    const origin = originOfUrl(url);
    return {
      id,
      parentId,
      level: parentId === null ? 'page' : levelIn(this.get(parentId)),
      tabId,
      frameId,
      url,
      origin,
      header: hasServer(url) ? this.headers.claim(tabId, frameId, url, origin) : everything,
      attribute: parentId === null ? everything : 'unconfirmed',
      hasKnownFrames: isNew,
      isShown: true,
      since: steadyNow(),
      left: null,
    };
  }

  /** Takes the header of the response that became a document. */
  declare(id: string, header: Policy): void {
    const document = this.get(id);
    if (document !== undefined) this.keep({ ...document, header });
  }

  /** Takes what the document around a document says of its frame. */
  confirm(id: string, attribute: Policy): void {
    const document = this.get(id);
    if (document !== undefined) this.keep({ ...document, attribute });
  }

  /** @param pageId the page that takes the tab over */
  leave(tabId: number, pageId?: string): void {
    const now = steadyNow();
    for (const one of this.all())
      if (one.tabId === tabId && one.parentId === null && one.left === null && one.id !== pageId)
        this.keep({ ...one, left: now });
    const left = this.all().filter((one) => one.tabId === tabId && one.left !== null);
    const tooMany = new Set(left.slice(0, -MAX_LEFT_PAGES));
    this.forget(
      this.all().filter(({ id }) => {
        const page = this.around(id).at(-1);
        return (
          page?.parentId !== null || tooMany.has(page) || (page.left !== null && page.left < now - MEMORY)
        );
      }),
    );
    this.firstUrls.forget(tabId, (parentId) => this.known.has(parentId));
  }

  /** Forgets the rest about a tab, unless documents of it are remembered: they may still get answers after it was closed. */
  forgetEmptyTab(tabId: number): void {
    if (this.all().some((one) => one.tabId === tabId)) return;
    this.firstUrls.forget(tabId, () => false);
    this.headers.forgetTab(tabId);
  }

  clear(): void {
    this.known.clear();
    this.firstUrls.clear();
    this.headers.clear();
  }

  /** Resolves to the ids of those that there were. */
  async load(): Promise<ReadonlySet<string>> {
    const stored = await this.memory.load();
    this.headers.load(stored);
    this.firstUrls.load(stored);
    const documents = stored
      .flatMap(({ kind, value }) => (kind === 'document' ? [value as KnownDocument] : []))
      .sort((one, other) => one.since - other.since);
    const now = steadyNow();
    for (const document of documents) {
      const { since, left } = document;
      // The device's clock may have been set back since.
      const times = { since: Math.min(since, now), left: left === null ? null : Math.min(left, now) };
      this.known.set(document.id, { ...document, ...times });
    }
    return new Set(documents.map(({ id }) => id));
  }

  private keep(document: KnownDocument): void {
    this.known.set(document.id, document);
    this.memory.set({ ...sessionKey(document), value: document });
    this.changed(document.tabId);
  }

  private forget(documents: readonly KnownDocument[]): void {
    if (documents.length === 0) return;
    this.memory.remove(documents.map(sessionKey));
    for (const { id } of documents) this.known.delete(id);
    for (const tabId of new Set(documents.map((one) => one.tabId))) this.forgetEmptyTab(tabId);
  }
}

/** Where the frames of a document are. */
const levelIn = (parent: KnownDocument | undefined): Level =>
  parent?.level === 'page' ? 'in-page' : 'frames';

const sessionKey = ({ id, tabId, level: of }: KnownDocument): SessionKey => ({
  kind: 'document',
  of,
  tabId,
  id,
});
