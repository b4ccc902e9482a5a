import type { Origin } from '../../src/model/units';
import { originOfUrl } from '../../src/parsing/origin';
import type { KnownDocument } from './known-document';
import { containerAllowlist, declaredAllowlist, isAllowed, type Allowlist } from './permissions-policy';
import type { SessionMemory } from './session-memory';
import { withoutFragment } from './urls';

/** The most allowlists that are remembered of one tab; the oldest are forgotten. */
const MAX_ALLOWLISTS = 500;
/** The most responses that are remembered of one tab. */
const MAX_RESPONSES = 500;
/** Of the keys in the browser's session storage. */
const PREFIX = 'policies ';

type TabPolicies = Record<string, Allowlist>;

/** The Permissions Policies of documents and frames that mention the feature, by tab. */
export class PermissionsPolicies {
  private readonly byTab = new Map<number, TabPolicies>();
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
    this.put(tabId, declaredKey(frameId, url), allowlist);
  }

  /** Whether the response that became this document was seen; a document without one needs none. */
  hasResponse({ tabId, frameId, url }: KnownDocument): boolean {
    return !/^https?:/.test(url) || this.responses.get(tabId)?.has(declaredKey(frameId, url)) === true;
  }

  /** Takes the `allow` attribute of the frames for `url` in a document. */
  contained({ id, tabId, url: parentUrl }: KnownDocument, url: string, allow: string): void {
    this.put(tabId, containedKey(id, url), containerAllowlist(allow, new URL(parentUrl).origin, url));
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
    this.byTab.delete(tabId);
    this.responses.delete(tabId);
    this.memory.remove([`${PREFIX}${tabId}`]);
  }

  clear(): void {
    this.byTab.clear();
  }

  /** @param stored all that the browser's session storage holds */
  load(stored: Readonly<Record<string, unknown>>): void {
    for (const [key, value] of Object.entries(stored))
      if (key.startsWith(PREFIX)) {
        const tabId = Number(key.slice(PREFIX.length));
        this.byTab.set(tabId, { ...(value as TabPolicies), ...this.byTab.get(tabId) });
      }
  }

  private get(tabId: number, key: string): Allowlist {
    return this.byTab.get(tabId)?.[key] ?? '*';
  }

  private put(tabId: number, key: string, allowlist: Allowlist | null): void {
    const { [key]: before, ...others } = this.byTab.get(tabId) ?? {};
    if (this.memory.isOff || (allowlist === null && before === undefined)) return;
    const newest = Object.entries(others).slice(1 - MAX_ALLOWLISTS);
    const policies = Object.fromEntries(allowlist === null ? newest : [...newest, [key, allowlist]]);
    this.byTab.set(tabId, policies);
    this.memory.set(`${PREFIX}${tabId}`, policies);
  }
}

const declaredKey = (frameId: number, url: string): string => `${frameId} ${withoutFragment(url)}`;
const containedKey = (parentId: string, url: string): string => `${parentId} ${withoutFragment(url)}`;

/** The origin of the first document; one without a URL of its own (`srcdoc`) has that of the document around it. */
function inheritedOrigin(documents: readonly KnownDocument[]): Origin | null {
  return documents.map(({ url }) => originOfUrl(url)).find((origin) => origin !== null) ?? null;
}
