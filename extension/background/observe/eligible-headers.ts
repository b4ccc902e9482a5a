import browser, { type WebRequest } from 'webextension-polyfill';
import type { Eligibility } from '../../../recording/eligibility';
import type { EligibleRequest } from '../../../recording/requests';
import { originOfUrl } from '../../../src/model/origin';
import { FairShare } from '../state/fair-share';
import {
  excludes,
  headersFor,
  LAST_MARK_RULE,
  markRules,
  onlyAt,
  ruleFor,
  type SessionRule,
  type SetRule,
} from './header-rules';
import { NavigationRules } from './navigation-rules';
import { Pace } from '../state/pace';
import { elementTypes, isFirefox } from './request-types';
import { RuleBatches } from './rule-batches';
import { everyPage } from '../../urls';

/** The part of both browsers' API that the polyfill's types lack. */
declare const chrome: {
  readonly declarativeNetRequest: {
    getSessionRules(): Promise<readonly SetRule[]>;
    updateSessionRules(update: {
      readonly addRules?: readonly SessionRule[];
      readonly removeRuleIds?: readonly number[];
    }): Promise<void>;
  };
};

/** In ms: how soon an expected request must be made. */
const LIFETIME = 10_000;
/**
 * Of each tab, the requests whose rules are added as soon as they are declared, and in ms how soon each further one may be. The others' are
 * added together, as past ones are removed: Chrome's main thread takes some 6 ms for each call while pages flood, and every request waits.
 */
const AT_ONCE = 100;
const INTERVAL = 500;
/** In ms, between two such calls. */
const TURN = 1000;
/** How many requests are expected at a time, of all tabs. Chrome takes at most 5000 such rules. */
const MOST = 1000;
/** In characters: the URLs of these requests, of which a short one counts as much as this. At each change, Chrome reads all rules again. */
const LEAST_SIZE = 200;
const ROOM = MOST * LEAST_SIZE;
/** Chrome makes a regular expression of a URL with a star, and anew at each change. Long ones keep the whole browser busy. */
const LONGEST_WITH_STAR = 300;

/** A request that may carry the header. */
interface ExpectedRequest extends Pick<
  EligibleRequest,
  'via' | 'url' | 'eligibility' | 'tabId' | 'documentOrigin'
> {
  readonly documentId: string;
}

export interface EligibleHeaders {
  /** Resolves once new requests carry the header. */
  expect(request: ExpectedRequest): Promise<void>;
  /** A pressed link is not eligible. Resolves once no navigation of that origin carries the header. */
  expectNone(pressed: Pick<ExpectedRequest, 'documentOrigin'>): Promise<void>;
  /** Sets the header on requests that scripts mark as eligible, but for those of documents of these sites; null: on none. */
  followMarks(exceptions: readonly string[] | null): Promise<void>;
  /** Forgets all expected requests. */
  clear(): Promise<void>;
}

/**
 * By rules set beforehand, which the browser follows by itself: no request waits for the extension. A page that is left takes requests with it
 * that still wait. In Chrome 156 also those that it makes while rules change, so rules change seldom, and not because a page is left.
 */
class RuleHeaders implements EligibleHeaders {
  private lastRule = Date.now() % 1_000_000_000;
  /** The rules for elements of documents without an origin, by tab. */
  private readonly rulesOf = new Map<number, number[]>();
  private readonly elementTypes = elementTypes();
  private readonly share = new FairShare(ROOM);
  private readonly pace = new Pace(AT_ONCE, INTERVAL);
  /** Resolves when rules are changed that may wait. */
  private turn: Promise<void> | null = null;
  private readonly rules = new RuleBatches<SessionRule>((addRules, removeRuleIds) =>
    chrome.declarativeNetRequest.updateSessionRules({ addRules, removeRuleIds }),
  );

  private readonly navigationRules = new NavigationRules({
    nextId: () => ++this.lastRule,
    change: (adding, removing) => this.rules.change(adding, removing),
    nextTurn: () => this.nextTurn(),
  });

  /**
   * Removes the rules of a background that was stopped before it could.
   * @param readsResponses whether its rules can depend on a response's headers
   */
  constructor(private readonly readsResponses: boolean) {
    void this.removeRules();
    browser.webNavigation.onCommitted.addListener(({ tabId, frameId }) => {
      // What one page declares must not mark a request of the next. Other rules hold for documents of the declaring host only.
      const old = frameId === 0 ? this.rulesOf.get(tabId) : undefined;
      if (old === undefined) return;
      this.rulesOf.delete(tabId);
      void this.rules.change([], old);
    });
  }

  async expect({ url, tabId, eligibility, via, documentOrigin }: ExpectedRequest): Promise<void> {
    if (originOfUrl(url) === null) return;
    if (via === 'navigation' && documentOrigin !== null) {
      await this.navigationRules.expect(new URL(documentOrigin).hostname);
      return;
    }
    if (url.includes('*') && url.length > LONGEST_WITH_STAR) return;
    const leave = this.share.acquire(Math.max(LEAST_SIZE, url.length), `tab ${tabId}`);
    if (leave === null) return;
    const id = ++this.lastRule;
    const isNavigation = via === 'navigation';
    const domains = documentOrigin === null ? {} : { initiatorDomains: [new URL(documentOrigin).hostname] };
    const rule = ruleFor(id, eligibility, {
      ...onlyAt(url),
      isUrlFilterCaseSensitive: true,
      resourceTypes: isNavigation ? ['main_frame'] : this.elementTypes,
      ...domains,
      ...(isNavigation ? {} : { tabIds: [tabId] }),
    });
    if (!isNavigation && documentOrigin === null)
      this.rulesOf.set(tabId, [...(this.rulesOf.get(tabId) ?? []), id]);
    setTimeout(() => {
      void this.nextTurn().then(() => {
        leave();
        return this.rules.change([], [id]);
      });
    }, LIFETIME);
    if (!this.pace.isFree(`tab ${tabId}`, performance.now())) await this.nextTurn();
    await this.rules.change([rule], []);
  }

  async expectNone({ documentOrigin }: Pick<ExpectedRequest, 'documentOrigin'>): Promise<void> {
    if (documentOrigin !== null) await this.navigationRules.forget(new URL(documentOrigin).hostname);
  }

  private nextTurn(): Promise<void> {
    return (this.turn ??= new Promise((resolve) => {
      setTimeout(() => {
        this.turn = null;
        resolve();
      }, TURN);
    }));
  }

  followMarks(exceptions: readonly string[] | null): Promise<void> {
    const domains = (exceptions ?? []).map((site) => new URL(site).hostname);
    const rules = markRules(domains, this.readsResponses);
    const removeRuleIds = rules.map(({ id }) => id);
    const addRules = exceptions === null ? [] : rules;
    return this.rules.alone(async () => {
      const marking = (await chrome.declarativeNetRequest.getSessionRules()).filter(({ id }) =>
        removeRuleIds.includes(id),
      );
      if (marking.length === addRules.length && marking.every((rule) => excludes(rule, domains))) return;
      await chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds, addRules });
    });
  }

  clear(): Promise<void> {
    this.navigationRules.clear();
    return this.removeRules();
  }

  private removeRules(): Promise<void> {
    return this.rules.alone(async () => {
      const rules = await chrome.declarativeNetRequest.getSessionRules();
      const removeRuleIds = rules.map(({ id }) => id).filter((id) => id > LAST_MARK_RULE);
      if (removeRuleIds.length > 0) await chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds });
    });
  }
}

/** Firefox also asks before it sends a request. For a navigation that is soon enough even if a script starts it, and the page stays meanwhile. */
class AskedHeaders extends RuleHeaders {
  /** The last navigations that got the header, by the browser's id: it is the same on each redirect. */
  private readonly claimed = new Map<string, Eligibility>();
  /** Navigations, with what to do when one is expected no longer. */
  private readonly expected = new Map<ExpectedRequest, () => void>();
  private readonly navigations = new FairShare(MOST);

  constructor() {
    super(false);
  }

  listen(): void {
    browser.webRequest.onBeforeSendHeaders.addListener(
      (details) => {
        const { requestHeaders = [] } = details;
        const eligibility = this.claim(details);
        if (eligibility === undefined || originOfUrl(details.url) === null) return undefined;
        return { requestHeaders: [...requestHeaders, ...headersFor(eligibility)] };
      },
      { ...everyPage, types: ['main_frame'] },
      ['blocking', 'requestHeaders'],
    );
    browser.webRequest.onBeforeSendHeaders.addListener(
      ({ method, requestHeaders = [] }) =>
        method === 'POST' ? { requestHeaders: withoutOrigin(requestHeaders) } : undefined,
      // Those of no tab: reports are.
      { ...everyPage, types: ['xmlhttprequest'], tabId: -1 },
      ['blocking', 'requestHeaders'],
    );
  }

  private claim({
    requestId,
    url,
    originUrl = '',
  }: WebRequest.OnBeforeSendHeadersDetailsType): Eligibility | undefined {
    const found = [...this.expected.keys()].find(
      (request) => request.url === url && request.documentOrigin === originOfUrl(originUrl),
    );
    if (found === undefined) return this.claimed.get(requestId);
    this.forget(found);
    this.claimed.set(requestId, found.eligibility);
    const [oldest] = this.claimed.keys();
    if (this.claimed.size > MOST && oldest !== undefined) this.claimed.delete(oldest);
    return found.eligibility;
  }

  override expect(request: ExpectedRequest): Promise<void> {
    if (request.via !== 'navigation') return super.expect(request);
    const leave = this.navigations.acquire(1, `tab ${request.tabId}`);
    if (leave === null) return Promise.resolve();
    this.expected.set(request, leave);
    setTimeout(() => this.forget(request), LIFETIME);
    return Promise.resolve();
  }

  override clear(): Promise<void> {
    for (const request of this.expected.keys()) this.forget(request);
    return super.clear();
  }

  private forget(request: ExpectedRequest): void {
    this.expected.get(request)?.();
    this.expected.delete(request);
  }
}

/** Firefox would send the extension's origin, which differs on every device. The collector could link all reports of one person by it. */
const withoutOrigin = (headers: WebRequest.HttpHeaders): WebRequest.HttpHeaders =>
  headers.filter(
    ({ name, value }) => name.toLowerCase() !== 'origin' || value?.startsWith('moz-extension:') !== true,
  );

/** The implementation for this browser. Call it synchronously while the background starts, because it may add a listener. */
export function eligibleHeaders(): EligibleHeaders {
  if (!isFirefox()) return new RuleHeaders(true);
  const headers = new AskedHeaders();
  headers.listen();
  return headers;
}
