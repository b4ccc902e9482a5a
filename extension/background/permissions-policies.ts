import type { Origin } from '../../src/model/units';
import { inheritedOrigin, type KnownDocument } from './known-document';
import { containerAllowlist, declaredAllowlist, isAllowed, type Allowlist } from './permissions-policy';
import type { SessionEntry, SessionKey, SessionMemory } from './session-memory';
import { shortened } from '../urls';

/** The most allowlists of each level that are remembered of one tab; what was not needed for longest is forgotten. */
const MAX_ALLOWLISTS = 500;
/** The most responses that are remembered of one tab. */
const MAX_RESPONSES = 500;

/** The headers of pages, the attributes of frames in pages, and all that frames say. */
type Level = Exclude<SessionKey['of'], 'requests'>;

/** The Permissions Policies of documents and frames that mention the feature, by tab. */
export class PermissionsPolicies {
  private readonly byTab = new Map<number, Readonly<Record<Level, Map<string, Allowlist>>>>();
  /** The responses that were seen last, with a policy or without, by tab. */
  private readonly responses = new Map<number, Set<string>>();
  private onForgotten: (isOfForgotten: (document: KnownDocument) => boolean) => void = () => undefined;

  constructor(private readonly memory: SessionMemory) {}

  /** @param listener told which documents have a policy that is no longer remembered, because their tab has too many */
  whenForgotten(listener: typeof this.onForgotten): void {
    this.onForgotten = listener;
  }

  /** Takes the header of a response that may become a document. */
  declared(tabId: number, frameId: number, url: string, header: string): void {
    const seen = this.responses.get(tabId) ?? new Set();
    this.responses.set(tabId, seen.add(declaredKey(frameId, url)));
    const [oldest] = seen;
    if (seen.size > MAX_RESPONSES && oldest !== undefined) seen.delete(oldest);
    const allowlist = header === '' ? null : declaredAllowlist(header, new URL(url).origin);
    this.put(tabId, frameId === 0 ? 'page' : 'frames', declaredKey(frameId, url), allowlist);
  }

  /** Whether the response that became this document was seen; a document without one needs none. */
  hasResponse({ tabId, frameId, url }: KnownDocument): boolean {
    return !/^https?:/.test(url) || this.responses.get(tabId)?.has(declaredKey(frameId, url)) === true;
  }

  /** Takes the `allow` attribute of a frame for `url` in a document. Of several for one URL, the strictest counts for all. */
  contained({ id, tabId, url: parentUrl, parentId }: KnownDocument, url: string, allow: string): void {
    const allowlist = containerAllowlist(allow, new URL(parentUrl).origin, url);
    const key = containedKey(id, url);
    if (allowlist !== null)
      this.put(
        tabId,
        parentId === null ? 'in-page' : 'frames',
        key,
        stricter(this.get(tabId, key), allowlist),
      );
  }

  /**
   * Whether a policy forbids the feature to the innermost document (Permissions Policy, "is feature enabled in document for origin?").
   * @param origin its origin
   * @param documents it and those around it, out to the page
   */
  forbid(origin: Origin | null, documents: readonly KnownDocument[]): boolean {
    const origins = documents.map((_, index) =>
      index === 0 ? origin : inheritedOrigin(documents.slice(index)),
    );
    return documents.some(({ tabId, frameId, url, frameUrls, parentId }, index) => {
      const declared = this.get(tabId, declaredKey(frameId, url));
      const inside = index === 0 ? [] : origins.slice(index - 1, index);
      const own = origins[index] ?? null;
      const contained =
        parentId === null ? [] : frameUrls.map((one) => this.get(tabId, containedKey(parentId, one)));
      return (
        [own, ...inside].some((one) => !isAllowed(declared, one)) ||
        contained.some((allowlist) => !isAllowed(allowlist, own))
      );
    });
  }

  forgetTab(tabId: number): void {
    const known = this.of(tabId);
    this.memory.remove(
      levels.flatMap((level) => [...known[level].keys()].map((id) => sessionKey(tabId, level, id))),
    );
    this.byTab.delete(tabId);
    this.responses.delete(tabId);
  }

  clear(): void {
    this.byTab.clear();
  }

  /** @param stored all that the browser's session storage holds */
  load(stored: readonly SessionEntry[]): void {
    for (const { kind, tabId, of, id, value } of stored)
      if (kind === 'policy' && of !== 'requests' && !this.of(tabId)[of].has(id))
        this.of(tabId)[of].set(id, value as Allowlist);
  }

  private of(tabId: number): Readonly<Record<Level, Map<string, Allowlist>>> {
    const known = this.byTab.get(tabId) ?? { page: new Map(), 'in-page': new Map(), frames: new Map() };
    this.byTab.set(tabId, known);
    return known;
  }

  private get(tabId: number, key: string): Allowlist {
    const known = this.byTab.get(tabId);
    const level = levels.find((one) => known?.[one].has(key) === true);
    const allowlist = level === undefined ? undefined : known?.[level].get(key);
    if (level === undefined || allowlist === undefined) return '*';
    known?.[level].delete(key);
    known?.[level].set(key, allowlist);
    return allowlist;
  }

  /** Frames make no page forget what it allows them. */
  private put(tabId: number, level: Level, key: string, allowlist: Allowlist | null): void {
    const known = this.of(tabId)[level];
    const isKnown = known.delete(key);
    if (this.memory.isOff || (allowlist === null && !isKnown)) return;
    if (allowlist === null) {
      this.memory.remove([sessionKey(tabId, level, key)]);
      return;
    }
    known.set(key, allowlist);
    this.memory.set({ ...sessionKey(tabId, level, key), value: allowlist });
    const [oldest] = known.keys();
    if (known.size <= MAX_ALLOWLISTS || oldest === undefined) return;
    known.delete(oldest);
    this.memory.remove([sessionKey(tabId, level, oldest)]);
    if (level === 'frames')
      this.onForgotten((document) => document.tabId === tabId && concerns(oldest, document));
  }
}

const levels = ['page', 'in-page', 'frames'] as const satisfies readonly Level[];

/** Whether a key is of this document's header, or of the attribute of its frame. */
const concerns = (key: string, { frameId, url, parentId, frameUrls }: KnownDocument): boolean =>
  key === declaredKey(frameId, url) || frameUrls.some((one) => key === containedKey(parentId ?? '', one));

const stricter = (one: Allowlist, other: Allowlist): Allowlist => {
  if (one === '*' || other === '*') return one === '*' ? other : one;
  return one.filter((origin) => other.includes(origin));
};

const sessionKey = (tabId: number, of: Level, id: string): SessionKey => ({ kind: 'policy', of, tabId, id });

const declaredKey = (frameId: number, url: string): string => `${frameId} ${shortened(url)}`;
const containedKey = (parentId: string, url: string): string => `${parentId} ${shortened(url)}`;
