import browser, { type WebRequest } from 'webextension-polyfill';
import { eligibleHeader } from '../../src/registration/eligibility';
import type { Eligibility } from '../../src/model/requests';
import { ELIGIBLE } from '../../src/registration/header';
import { everyPage } from './urls';

/** The part of Chrome's API that the polyfill's types lack. */
declare const chrome: {
  readonly declarativeNetRequest: {
    getSessionRules(): Promise<readonly { readonly id: number }[]>;
    updateSessionRules(update: {
      readonly addRules?: readonly HeaderRule[];
      readonly removeRuleIds?: readonly number[];
    }): Promise<void>;
  };
};

interface HeaderRule {
  readonly id: number;
  readonly action: {
    readonly type: 'modifyHeaders';
    readonly requestHeaders: readonly {
      readonly header: string;
      readonly operation: 'set';
      readonly value: string;
    }[];
  };
  readonly condition: {
    readonly urlFilter: string;
    readonly isUrlFilterCaseSensitive: boolean;
    readonly resourceTypes: readonly string[];
    readonly tabIds?: readonly number[];
  };
}

/** In ms: how soon an expected request must be made. */
const LIFETIME = 10_000;

/** A request that may carry the header. */
interface ExpectedRequest {
  readonly url: string;
  readonly tabId: number;
  readonly eligibility: Eligibility;
  /** Whether it may come from another tab, as when a navigation opens one. */
  readonly anyTab: boolean;
}

export interface EligibleHeaders {
  /** Resolves once new requests carry the header. */
  expect(request: ExpectedRequest): Promise<void>;
  /** Forgets all expected requests. */
  clear(): Promise<void>;
}

/** In Chrome an extension can change a request only by a rule set beforehand. */
class RuleHeaders implements EligibleHeaders {
  private lastRule = Date.now() % 1_000_000_000;
  private queue: Promise<unknown> = Promise.resolve();

  /** Removes the rules of a background that was stopped before it could. */
  constructor() {
    void this.clear();
  }

  async expect({ url, tabId, eligibility, anyTab }: ExpectedRequest): Promise<void> {
    const value = eligibleHeader(eligibility);
    // A rule cannot set an empty header, so a request that may register nothing goes without it.
    // A rule for a URL with a wildcard in it would also match other URLs.
    if (value === null || value === '' || url.includes('*')) return;
    const id = ++this.lastRule;
    const rule: HeaderRule = {
      id,
      action: {
        type: 'modifyHeaders',
        requestHeaders: [
          { header: ELIGIBLE, operation: 'set', value },
          { header: 'Attribution-Reporting-Support', operation: 'set', value: 'web' },
        ],
      },
      condition: {
        urlFilter: `|${url}|`,
        isUrlFilterCaseSensitive: true,
        resourceTypes: anyTab ? ['main_frame'] : ['image', 'script', 'xmlhttprequest'],
        ...(anyTab ? {} : { tabIds: [tabId] }),
      },
    };
    await this.inTurn(() => chrome.declarativeNetRequest.updateSessionRules({ addRules: [rule] }));
    setTimeout(() => void chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: [id] }), LIFETIME);
  }

  clear(): Promise<void> {
    return this.inTurn(async () => {
      const rules = await chrome.declarativeNetRequest.getSessionRules();
      await chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: rules.map(({ id }) => id) });
    });
  }

  /** No rule may be added between reading the rules and removing them. */
  private inTurn(task: () => Promise<void>): Promise<void> {
    const result = this.queue.then(task);
    this.queue = result.catch(() => undefined);
    return result;
  }
}

/** Firefox asks before it sends a request. */
class BlockingHeaders implements EligibleHeaders {
  private readonly expected = new Set<ExpectedRequest>();

  listen(): void {
    browser.webRequest.onBeforeSendHeaders.addListener(
      ({ url, tabId, type, method, requestHeaders = [] }) => {
        if (tabId < 0 && method === 'POST') return { requestHeaders: withoutOrigin(requestHeaders) };
        if (this.expected.size === 0) return undefined;
        const found = [...this.expected].find(
          (request) =>
            request.url === url && (request.anyTab ? type === 'main_frame' : request.tabId === tabId),
        );
        if (found === undefined) return undefined;
        this.expected.delete(found);
        const value = eligibleHeader(found.eligibility) ?? '';
        return {
          requestHeaders: [
            ...requestHeaders,
            { name: ELIGIBLE, value },
            { name: 'Attribution-Reporting-Support', value: 'web' },
          ],
        };
      },
      {
        ...everyPage,
        types: ['image', 'imageset', 'script', 'xmlhttprequest', 'main_frame'],
      },
      ['blocking', 'requestHeaders'],
    );
  }

  expect(request: ExpectedRequest): Promise<void> {
    this.expected.add(request);
    setTimeout(() => void this.expected.delete(request), LIFETIME);
    return Promise.resolve();
  }

  clear(): Promise<void> {
    this.expected.clear();
    return Promise.resolve();
  }
}

/** Firefox would send the extension's origin, which differs on every device. The collector could link all reports of one person by it. */
const withoutOrigin = (headers: WebRequest.HttpHeaders): WebRequest.HttpHeaders =>
  headers.filter(
    ({ name, value }) => name.toLowerCase() !== 'origin' || value?.startsWith('moz-extension:') !== true,
  );

/** The implementation for this browser. Call it synchronously while the background starts, because it may add a listener. */
export function eligibleHeaders(): EligibleHeaders {
  if (browser.runtime.getManifest().permissions?.includes('webRequestBlocking') !== true)
    return new RuleHeaders();
  const headers = new BlockingHeaders();
  headers.listen();
  return headers;
}
