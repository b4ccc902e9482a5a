import browser from 'webextension-polyfill';
import type { PagePlace, Unknown } from '../../../recording/places';
import type { Requester } from '../../../recording/requests';
import type { Origin } from '../../../src/model/units';
import type { FrameAttribute } from '../../content-messages';
import type { DocumentHeaders } from './document-headers';
import { FairShare } from '../state/fair-share';
import { FrameAttributes } from './frame-attributes';
import { hasServer, type KnownDocument } from './known-document';
import { containerPolicy, declaredPolicy, stricter, type Feature } from './permissions-policy';
import { Places } from './places';
import { RememberedDocuments, type CommittedDocument } from './remembered-documents';
import type { SessionMemory } from './session-memory';
import { TabChanges } from './tab-changes';
import { steadyNow } from '../state/steady-time';
import { shortened } from '../../urls';

/**
 * In ms: how long something waits for each of these. Firefox may deliver a document's message before it reports the document or the
 * response that became it, and Chrome may report a request before its document. A page may be too busy to answer about its frames.
 */
const TIMEOUTS: Readonly<Record<Unknown, number>> = {
  document: 1000,
  response: 5000,
  'frame-attribute': 8000,
  worker: 0,
};
/** In bytes: the responses that may wait, divided among the tabs. A small one counts for more, because each takes time. */
const WAITING_ROOM = 2e6;
const LEAST_SIZE = 4000;

/** A document that a frame shows now. */
export interface Committed extends CommittedDocument {
  readonly transitionQualifiers?: readonly string[];
}

/** The response that is to become a document. */
interface DocumentResponse {
  readonly tabId: number;
  readonly frameId: number;
  readonly url: string;
  /** The value of `Permissions-Policy`; empty if there is none. */
  readonly policy: string;
}

/**
 * The documents of all tabs, also of pages that were left some minutes ago: what those still do counts on their own page. The browser's
 * session storage keeps them while the background sleeps.
 */
export class Documents {
  private readonly known: RememberedDocuments;
  private readonly places: Places;
  private readonly attributes: FrameAttributes;
  private readonly changes = new TabChanges();
  private readonly waitingRoom = new FairShare(WAITING_ROOM);
  private isLoaded = false;
  /** Resolves when the documents of an earlier run of the background are known. */
  private readonly loaded: Promise<void>;

  constructor(
    private readonly headers: DocumentHeaders,
    private readonly memory: SessionMemory,
  ) {
    const resume = (tabId: number): void => this.changes.tell(tabId);
    this.known = new RememberedDocuments(headers, memory, resume);
    this.places = new Places(this.known);
    this.attributes = new FrameAttributes((id, attributes) => this.confirm(id, attributes), resume);
    this.loaded = this.known.load().then(async (ids) => {
      // On installation pages are there already.
      if (ids.size === 0) await this.addAll();
      this.isLoaded = true;
    });
  }

  /** What wakes the background waits until it remembers what was there before. */
  listen(): void {
    browser.webNavigation.onCommitted.addListener((frame: Committed) => {
      void this.loaded.then(() => {
        if (frame.frameId === 0) this.known.leave(frame.tabId, frame.documentId);
        this.known.add(frame, true);
        // Not before: no answer must be older than the document.
        this.ask(this.known.get(frame.documentId));
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
    browser.webNavigation.onBeforeNavigate.addListener((frame: Committed) => {
      void this.loaded.then(() =>
        this.known.begin(frame.tabId, frame.frameId, frame.url, frame.parentDocumentId),
      );
    });
  }

  /** Starts or stops to remember documents: not before a person agrees, nor in a pause. */
  turn(isOn: boolean): void {
    const { isOff: wasOff } = this.memory;
    this.memory.turn(isOn);
    if (isOn && wasOff) void this.addAll();
    if (!isOn) this.known.clear();
  }

  /** Takes the header of a response that may become a document. Firefox may report the document first. */
  answered({ tabId, frameId, url, policy }: DocumentResponse): void {
    const header = declaredPolicy(policy, new URL(url).origin);
    void this.loaded.then(() => {
      const document = this.known.inFrame(tabId, frameId).findLast((one) => isUnseen(one, url));
      if (document === undefined) this.headers.put(tabId, frameId, url, header);
      else this.known.declare(document.id, header);
    });
  }

  /** As `answered`, for a service worker of this origin, which may pass the response on as a document. */
  workerAnswered(origin: Origin, url: string, policy: string): void {
    const header = declaredPolicy(policy, origin);
    void this.loaded.then(() => {
      this.headers.putOfWorker(origin, url, header);
      for (const document of this.known.ofOrigin(origin))
        if (isUnseen(document, url)) this.known.declare(document.id, header);
    });
  }

  /**
   * Where a document or worker does something. What is not known is waited for as long as the browser or a page may still tell it.
   * @param otherwise the origin under which the log has it if neither the page nor the requester has one
   * @param size in bytes: how much of a response waits with it
   * @param feature that a Permissions Policy must allow there
   */
  async placeOf(
    requester: Requester,
    otherwise: Origin,
    size = 0,
    feature: Feature = 'attribution-reporting',
  ): Promise<PagePlace> {
    await this.loaded;
    return this.wait(requester, () => this.places.of(requester, otherwise, feature), size);
  }

  /** As `placeOf`, without waiting: null while the browser or a page may still tell more. */
  placeNow(requester: Requester, otherwise: Origin): PagePlace | null {
    if (!this.isLoaded) return null;
    const place = this.places.of(requester, otherwise);
    return this.isOpen(requester, place) ? null : place;
  }

  /** The origin of the page of what a document or worker does, whether or not it may register. */
  async pageOf(requester: Requester, otherwise: Origin): Promise<Origin> {
    await this.loaded;
    await this.wait(requester, () =>
      this.places.isKnown(requester) ? null : this.places.of(requester, otherwise),
    );
    return this.places.pageOf(requester) ?? requester.documentOrigin ?? otherwise;
  }

  /** The document with this id; undefined if the browser did not report it. */
  async find(tabId: number, id: string): Promise<KnownDocument | undefined> {
    await this.loaded;
    await this.until(tabId, () => this.known.get(id) !== undefined);
    return this.known.get(id);
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
    await this.until(tabId, () => page() !== undefined);
    while (page()?.isShown === false && page()?.left === null) await this.changes.next(tabId);
    return page()?.isShown === true;
  }

  /** The id of the page that a document is on. */
  pageIdOf(documentId: string): string {
    return this.known.around(documentId).at(-1)?.id ?? documentId;
  }

  /** Whether the page that a document is on was left; false if it is not known. */
  wasLeft(documentId: string | undefined): boolean {
    return (this.known.around(documentId).at(-1)?.left ?? null) !== null;
  }

  /** The URLs of a document and those around it, out to the page, but for those that have no server. */
  urlsAround(documentId: string): readonly string[] {
    return this.known.around(documentId).flatMap(({ url }) => (hasServer(url) ? [url] : []));
  }

  /** The origin of the page in one of these tabs that has a document of this origin; null if none is known. */
  pageWith(tabs: readonly number[], origin: Origin | null): Origin | null {
    const pages = this.known
      .ofOrigin(origin)
      .flatMap(({ id, tabId }) => (tabs.includes(tabId) ? this.known.around(id).slice(-1) : []));
    return pages.findLast(({ left }) => left === null)?.origin ?? null;
  }

  /** The tabs with documents of an origin. */
  tabsOf(origin: Origin | null): readonly number[] {
    return this.known.ofOrigin(origin).map(({ tabId }) => tabId);
  }

  /** Asks for a place until it is known, no more can come, or there is no room to wait. */
  private async wait<Found extends PagePlace | null>(
    requester: Requester,
    find: () => Found,
    size = 0,
  ): Promise<Found> {
    let found = find();
    if (found === null || !this.isOpen(requester, found)) return found;
    const leave = this.waitingRoom.acquire(Math.max(LEAST_SIZE, size), `tab ${requester.tabId}`);
    if (leave === null) return found;
    const since = performance.now();
    while (found?.kind === 'unknown' && this.isOpen(requester, found)) {
      const left = since + TIMEOUTS[found.unknown] - performance.now();
      if (left <= 0) break;
      await this.changes.next(requester.tabId, left);
      found = find();
    }
    leave();
    return found;
  }

  /** Whether the browser or a page may still tell what is not known. */
  private isOpen(requester: Requester, place: PagePlace): boolean {
    if (place.kind !== 'unknown' || requester.tabId < 0 || this.memory.isOff) return false;
    const deciding = this.places.deciding(requester);
    switch (place.unknown) {
      case 'document':
        return deciding.length === 0;
      case 'response':
        return deciding.some(({ header, since }) => header === 'unseen' && isRecent(since));
      case 'frame-attribute': {
        const unconfirmed = deciding.filter(({ attribute }) => attribute === 'unconfirmed');
        for (const document of unconfirmed) this.ask(document);
        return unconfirmed.some((document) => this.attributes.isAsking(document));
      }
      case 'worker':
        return false;
    }
  }

  /** Asks the document around a document about its frame. */
  private ask(document: KnownDocument | undefined): void {
    const parent = this.known.get(document?.parentId);
    if (document?.attribute !== 'unconfirmed' || parent === undefined) return;
    const { id: documentId, frameId } = document;
    this.attributes.ask(parent, { documentId, frameId, url: this.known.firstUrlOf(document) });
  }

  private confirm(id: string, attributes: readonly FrameAttribute[]): void {
    const parent = this.known.get(this.known.get(id)?.parentId);
    const [first, ...others] = attributes.map(({ allow, src }) =>
      containerPolicy(allow, originOf(parent?.url ?? ''), src),
    );
    // Which of several elements has the frame is not known. Nor is its attribute where there is none.
    if (first !== undefined) this.known.confirm(id, others.reduce(stricter, first));
  }

  /** Waits for what the browser will tell soon, or never. */
  private async until(tabId: number, isKnown: () => boolean): Promise<void> {
    const end = performance.now() + TIMEOUTS.document;
    for (let left = TIMEOUTS.document; left > 0 && !this.memory.isOff && !isKnown();) {
      await this.changes.next(tabId, left);
      left = end - performance.now();
    }
  }

  private async addAll(): Promise<void> {
    for (const { id: tabId = -1 } of await browser.tabs.query({})) await this.addFrames(tabId);
  }

  private async addFrames(tabId: number): Promise<void> {
    const frames = await browser.webNavigation.getAllFrames({ tabId }).catch(() => null);
    for (const frame of frames ?? []) this.known.add({ ...frame, tabId }, false);
  }
}

const isRecent = (since: number): boolean => since > steadyNow() - TIMEOUTS.response;

/** Whether a response for `url` may be the one that became this document. */
const isUnseen = ({ header, url, since, hasKnownFrames: isNew }: KnownDocument, of: string): boolean =>
  isNew && header === 'unseen' && url === shortened(of) && isRecent(since);

/** As a policy names it: `null` without a URL. */
const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'null');
