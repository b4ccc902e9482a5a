import browser, { type WebRequest } from 'webextension-polyfill';
import type { Origin } from '../../src/model/units';
import type { RegistrationHeaders } from '../../src/model/requests';
import { eligibleHeader } from '../../src/registration/eligibility';
import type { Eligibility } from '../../src/model/requests';
import { ELIGIBLE } from '../../src/registration/header';
import { isLocal, originOfUrl } from '../../src/parsing/origin';
import { siteOf } from '../../src/parsing/site';
import { FairShare } from './fair-share';
import { everyPage, withoutFragment } from './urls';

const TIMEOUT = 30_000;
/** Requests under way at a time, for all pages. */
const MOST = 400;
/** In ms: how long the requests of a closed tab may go on. Pages make some while they close. */
const AFTER_CLOSING = 5000;
/** In ms after the answer. Chrome may report a request later than `fetch` resolves. */
const REPORTING_TIME = 5000;
/** In ms: how long a trigger waits for the source of the preceding click. */
const MAX_DEFERRAL = 5000;

/** A request to make, and the page it is for. */
export interface OwnRequest {
  readonly contextOrigin: Origin;
  readonly eligibility: Eligibility;
  /** The tab of the page. */
  readonly tabId: number;
}

interface Made extends OwnRequest {
  readonly answered: () => void;
  readonly stopping: AbortController;
}

/** One response, or one redirect hop, to such a request. */
export interface OwnResponse extends OwnRequest {
  readonly requestId: string;
  readonly reportingOrigin: Origin;
  readonly headers: RegistrationHeaders;
}

/**
 * The requests that Cointoss makes for the URLs of an `attributionsrc` (ARA, "make a background attributionsrc request"). `fetch` hides
 * redirects and their headers. So each request is matched to one that the browser reports, and its responses are read there.
 */
export class OwnRequests {
  /** Requests that the browser has not reported yet, by URL. Those with the same URL are interchangeable. */
  private readonly expected = new Map<string, Made[]>();
  private readonly known = new Map<string, Made>();
  /** Requests that may still get responses. */
  private readonly underWay = new Set<Made>();
  /** Unanswered requests of a click. */
  private readonly navigations = new Set<Promise<void>>();
  private readonly share = new FairShare(MOST);

  /** @param onOverflow called for a request that is not made, because its site or tab has too many under way */
  constructor(
    private readonly onResponse: (response: OwnResponse) => void,
    private readonly onOverflow: (request: OwnRequest, reportingOrigin: Origin) => void,
  ) {}

  listen(): void {
    browser.tabs.onRemoved.addListener((closed) => {
      setTimeout(() => this.stopWhere(({ tabId }) => tabId === closed), AFTER_CLOSING);
    });
    browser.webRequest.onBeforeRequest.addListener(
      (details: WebRequest.OnBeforeRequestDetailsType & { readonly initiator?: string }) => {
        const { requestId, url, initiator, originUrl } = details;
        if (this.known.has(requestId) || !isOwn(initiator ?? originUrl)) return undefined;
        const made = this.expected.get(withoutFragment(url))?.shift();
        if (made !== undefined) this.known.set(requestId, made);
        return undefined;
      },
      { ...everyPage, types: ['xmlhttprequest'] },
    );
    for (const event of [browser.webRequest.onCompleted, browser.webRequest.onErrorOccurred]) {
      event.addListener(({ requestId }) => this.ended(requestId), {
        ...everyPage,
        types: ['xmlhttprequest'],
      });
    }
  }

  /**
   * Resolves when the requests of the last click are answered, or after a timeout. A trigger on the page that the click leads to must find
   * the source (ARA, "maybe defer and then complete trigger attribution").
   */
  async navigationSourcesSettled(): Promise<void> {
    if (this.navigations.size === 0) return;
    const patience = new Promise((resolve) => setTimeout(resolve, MAX_DEFERRAL));
    await Promise.race([Promise.all(this.navigations), patience]);
  }

  /** Aborts the requests that are over, and ignores further responses to them. */
  stopWhere(isOver: (request: OwnRequest) => boolean): void {
    for (const request of this.underWay) if (isOver(request)) request.stopping.abort();
  }

  private ended(requestId: string): void {
    this.known.get(requestId)?.answered();
    this.known.delete(requestId);
  }

  async make(url: string, request: OwnRequest): Promise<void> {
    const origin = originOfUrl(url);
    // A public page must not reach servers on this device.
    if (origin === null || (isLocal(origin) && !isLocal(request.contextOrigin))) return;
    const leave = this.share.take(1, siteOf(request.contextOrigin), `tab ${request.tabId}`);
    if (leave === null) return this.onOverflow(request, origin);
    const key = withoutFragment(url);
    const waiting = this.expected.get(key) ?? [];
    const made = this.note(request);
    waiting.push(made);
    this.underWay.add(made);
    this.expected.set(key, waiting);
    try {
      await fetch(url, {
        headers: {
          [ELIGIBLE]: eligibleHeader(request.eligibility) ?? '',
          'Attribution-Reporting-Support': 'web',
        },
        // The extension's requests would carry cookies that the browser blocks for third parties.
        credentials: 'omit',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
        signal: AbortSignal.any([made.stopping.signal, AbortSignal.timeout(TIMEOUT)]),
      });
    } catch {
      // Errors do not matter: only the observer of the headers uses the response.
    } finally {
      leave();
      // The browser may report the request after the answer, or never. Then it must not match a later request.
      setTimeout(() => {
        const index = waiting.indexOf(made);
        if (index >= 0) waiting.splice(index, 1);
        this.underWay.delete(made);
        made.answered();
        if (waiting.length === 0 && this.expected.get(key) === waiting) this.expected.delete(key);
      }, REPORTING_TIME);
    }
  }

  private note(request: OwnRequest): Made {
    let answered = (): void => undefined;
    const answer = new Promise<void>((resolve) => (answered = resolve));
    if (request.eligibility === 'navigation-source') {
      this.navigations.add(answer);
      void answer.then(() => this.navigations.delete(answer));
    }
    return { ...request, answered, stopping: new AbortController() };
  }

  /** Recognises a response to one of these requests, and passes it on unless the request was aborted. */
  responseTo(requestId: string, reportingOrigin: Origin, headers: RegistrationHeaders): 'ours' | 'not-ours' {
    const made = this.known.get(requestId);
    if (made === undefined) return 'not-ours';
    const { contextOrigin, eligibility, tabId, stopping } = made;
    if (stopping.signal.aborted) return 'ours';
    this.onResponse({ contextOrigin, eligibility, tabId, requestId, reportingOrigin, headers });
    return 'ours';
  }
}

const isOwn = (initiator: string | undefined): boolean =>
  initiator !== undefined && `${initiator}/`.startsWith(browser.runtime.getURL(''));
