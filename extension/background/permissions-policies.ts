import type { Origin } from '../../src/model/units';
import { originOfUrl } from '../../src/parsing/origin';
import type { KnownDocument } from './known-document';
import { containerAllowlist, declaredAllowlist, isAllowed, type Allowlist } from './permissions-policy';
import type { SessionEntry, SessionKey, SessionMemory } from './session-memory';
import { shortened } from './urls';

/** The most allowlists that are remembered of the pages of one tab, and of their frames; the oldest are forgotten. */
const MAX_ALLOWLISTS = 500;
/** The most responses that are remembered of one tab. */
const MAX_RESPONSES = 500;

type Level = SessionKey['of'];

/** The Permissions Policies of documents and frames that mention the feature, by tab. */
export class PermissionsPolicies {
  private readonly byTab = new Map<number, Readonly<Record<Level, Map<string, Allowlist>>>>();
  /** The responses that were seen last, with a policy or without, by tab. */
  private readonly responses = new Map<number, Set<string>>();

  constructor(private readonly memory: SessionMemory) {}

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

  /** Takes the `allow` attribute of the frames for `url` in a document. */
  contained({ id, tabId, url: parentUrl, parentId }: KnownDocument, url: string, allow: string): void {
    const allowlist = containerAllowlist(allow, new URL(parentUrl).origin, url);
    this.put(tabId, parentId === null ? 'page' : 'frames', containedKey(id, url), allowlist);
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
    const { page, frames } = this.of(tabId);
    this.memory.remove([
      ...[...page.keys()].map((id) => sessionKey(tabId, 'page', id)),
      ...[...frames.keys()].map((id) => sessionKey(tabId, 'frames', id)),
    ]);
    this.byTab.delete(tabId);
    this.responses.delete(tabId);
  }

  clear(): void {
    this.byTab.clear();
  }

  /** @param stored all that the browser's session storage holds */
  load(stored: readonly SessionEntry[]): void {
    for (const { kind, tabId, of, id, value } of stored)
      if (kind === 'policy' && !this.of(tabId)[of].has(id)) this.of(tabId)[of].set(id, value as Allowlist);
  }

  private of(tabId: number): Readonly<Record<Level, Map<string, Allowlist>>> {
    const known = this.byTab.get(tabId) ?? { page: new Map(), frames: new Map() };
    this.byTab.set(tabId, known);
    return known;
  }

  private get(tabId: number, key: string): Allowlist {
    const known = this.byTab.get(tabId);
    return known?.page.get(key) ?? known?.frames.get(key) ?? '*';
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
  }
}

const sessionKey = (tabId: number, of: Level, id: string): SessionKey => ({ kind: 'policy', of, tabId, id });

const declaredKey = (frameId: number, url: string): string => `${frameId} ${shortened(url)}`;
const containedKey = (parentId: string, url: string): string => `${parentId} ${shortened(url)}`;

/** The origin of the first document; one without a URL of its own (`srcdoc`) has that of the document around it. */
function inheritedOrigin(documents: readonly KnownDocument[]): Origin | null {
  return documents.map(({ url }) => originOfUrl(url)).find((origin) => origin !== null) ?? null;
}
