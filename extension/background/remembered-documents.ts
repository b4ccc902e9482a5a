import type { Origin } from '../../src/model/units';
import { originOfUrl } from '../../src/parsing/origin';
import { shortened } from '../urls';
import { toForget } from './crowding';
import { FrameUrls } from './frame-urls';
import type { KnownDocument } from './known-document';
import type { PermissionsPolicies } from './permissions-policies';
import type { SessionKey, SessionMemory } from './session-memory';
import { steadyNow } from './steady-time';

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
  private readonly frameUrls = new FrameUrls();

  /** @param changed is called when a document of a tab is added or left */
  constructor(
    private readonly policies: PermissionsPolicies,
    private readonly memory: SessionMemory,
    private readonly changed: (tabId: number) => void,
  ) {
    // What has no known policy must not count as if it had none.
    policies.whenForgotten((isOfForgotten) => this.forget(this.all().filter((one) => isOfForgotten(one))));
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

  ofOrigin(origin: Origin | null): readonly KnownDocument[] {
    return this.all().filter((one) => one.origin === origin);
  }

  /** The document and those around it, out to the page, as far as they are known. */
  around(id: string | null | undefined): readonly KnownDocument[] {
    const document = this.get(id);
    return document === undefined ? [] : [document, ...this.around(document.parentId)];
  }

  /** The URLs that the frame of a document was asked to show. */
  urlsOfFrame({ frameId, frameUrls }: KnownDocument): readonly string[] {
    return [...frameUrls, ...this.frameUrls.of(frameId)];
  }

  /** What a frame is asked to show. */
  addUrl(tabId: number, frameId: number, url: string): void {
    if (frameId !== 0 && !this.memory.isOff) this.frameUrls.add(tabId, frameId, [shortened(url)]);
  }

  add({
    documentId: id,
    parentDocumentId,
    tabId,
    url: whole,
    documentLifecycle,
    ...frame
  }: CommittedDocument): void {
    if (id === undefined || this.memory.isOff) return;
    const url = shortened(whole);
    const parentId = parentDocumentId ?? null;
    // A page that was prepared moves to frame 0 when it is shown. Its requests and its policy were those of the other frame.
    const frameId = this.known.get(id)?.frameId ?? frame.frameId;
    const frameUrls = parentId === null ? [] : this.frameUrls.add(tabId, frameId, [url]);
    const isShown = documentLifecycle !== 'prerender';
    const origin = originOfUrl(url);
    const since = steadyNow();
    this.keep({ id, parentId, tabId, frameId, url, origin, frameUrls, isShown, since, left: null });
    const frames = this.all().filter((one) => one.tabId === tabId && one.parentId !== null);
    const crowding = frames.length > MAX_DOCUMENTS ? toForget(frames) : undefined;
    if (crowding !== undefined) this.forget([crowding]);
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
    this.frameUrls.forget(tabId, new Set(this.all().map(({ frameId }) => frameId)));
  }

  /** Forgets the rest about a tab, unless documents of it are remembered: they may still get answers after it was closed. */
  forgetEmptyTab(tabId: number): void {
    if (this.all().some((one) => one.tabId === tabId)) return;
    this.frameUrls.forget(tabId);
    this.policies.forgetTab(tabId);
  }

  clear(): void {
    this.known.clear();
    this.frameUrls.clear();
    this.policies.clear();
  }

  /** Resolves to the ids of those that there were. */
  async load(): Promise<ReadonlySet<string>> {
    const stored = await this.memory.load();
    this.policies.load(stored);
    const documents = stored
      .flatMap(({ kind, value }) => (kind === 'document' ? [value as KnownDocument] : []))
      .sort((one, other) => one.since - other.since);
    const now = steadyNow();
    for (const document of documents) {
      const { since, left } = document;
      // The device's clock may have been set back since.
      const times = { since: Math.min(since, now), left: left === null ? null : Math.min(left, now) };
      this.known.set(document.id, { ...document, ...times });
      if (document.parentId !== null)
        this.frameUrls.add(document.tabId, document.frameId, document.frameUrls);
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
    for (const { id } of documents) this.known.delete(id);
    this.memory.remove(documents.map(sessionKey));
    for (const tabId of new Set(documents.map((one) => one.tabId))) this.forgetEmptyTab(tabId);
  }
}

const sessionKey = ({ id, tabId, parentId }: KnownDocument): SessionKey => ({
  kind: 'document',
  of: parentId === null ? 'page' : 'frames',
  tabId,
  id,
});
