import browser, { type WebRequest } from 'webextension-polyfill';
import type { Origin } from '../../src/model/units';
import type { RegistrationHeaders } from '../../src/model/requests';
import { eligibleHeader } from '../../src/registration/eligibility';
import type { Eligibility } from '../../src/model/requests';
import { ELIGIBLE } from '../../src/registration/header';
import { isLocal, originOfUrl } from '../../src/parsing/origin';
import { everyPage, withoutFragment } from './urls';

const TIMEOUT = 30_000;
/** How long after the answer the browser may take to report a request; Chrome's events are not in step with `fetch`. */
const REPORTING_TIME = 5000;
/** How long a conversion waits for the source of the click before it. */
const MAX_DEFERRAL = 5000;

/** On whose behalf, and for what, a request is made. */
export interface OwnRequest {
  readonly contextOrigin: Origin;
  readonly eligibility: Eligibility;
  /** The tab of that page. */
  readonly tabId: number;
}

interface Made extends OwnRequest {
  readonly answered: () => void;
  readonly stopping: AbortController;
}

/** A response to a request of Cointoss's own, one redirect hop of it. */
export interface OwnResponse extends OwnRequest {
  readonly requestId: string;
  readonly reportingOrigin: Origin;
  readonly headers: RegistrationHeaders;
}

/**
 * The requests that Cointoss makes for the URLs of an `attributionsrc` (ARA, "make a background attributionsrc request").
 * `fetch` hides redirects and their headers, so each request is recognised among those the browser reports, and its
 * responses are taken from there.
 */
export class OwnRequests {
  /** Requests made, by URL, that the browser has not reported yet; those of one URL are alike. */
  private readonly expected = new Map<string, Made[]>();
  private readonly known = new Map<string, Made>();
  /** Those whose responses may still come. */
  private readonly underWay = new Set<Made>();
  /** Those of a click that are not answered yet. */
  private readonly navigations = new Set<Promise<void>>();

  constructor(private readonly onResponse: (response: OwnResponse) => void) {}

  listen(): void {
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
   * Resolves when what the last click made has been answered, or after a while. A conversion on the page that the click
   * leads to must find the source (ARA, "maybe defer and then complete trigger attribution").
   */
  async navigationSourcesSettled(): Promise<void> {
    if (this.navigations.size === 0) return;
    const patience = new Promise((resolve) => setTimeout(resolve, MAX_DEFERRAL));
    await Promise.race([Promise.all(this.navigations), patience]);
  }

  /** Ends the requests under way for pages on which nothing is recorded any more, and takes no more of their responses. */
  stopWhere(isOver: (contextOrigin: Origin) => boolean): void {
    for (const { contextOrigin, stopping } of this.underWay) if (isOver(contextOrigin)) stopping.abort();
  }

  private ended(requestId: string): void {
    this.known.get(requestId)?.answered();
    this.known.delete(requestId);
  }

  async make(url: string, request: OwnRequest): Promise<void> {
    const origin = originOfUrl(url);
    // A page out there must not reach what listens on this device.
    if (origin === null || (isLocal(origin) && !isLocal(request.contextOrigin))) return;
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
        // An extension's request would carry the cookies that the browser keeps from third parties.
        credentials: 'omit',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
        signal: AbortSignal.any([made.stopping.signal, AbortSignal.timeout(TIMEOUT)]),
      });
    } catch {
      // Nobody waits for the response but the observer of its headers.
    } finally {
      // The browser may report it only after the answer. If it never does, it must not be mistaken for a later one.
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

  /** Whether a response is to one of these requests; then it is passed on, unless the request was stopped. */
  responseTo(requestId: string, reportingOrigin: Origin, headers: RegistrationHeaders): 'ours' | 'not-ours' {
    const made = this.known.get(requestId);
    if (made === undefined) return 'not-ours';
    const { contextOrigin, eligibility, tabId, stopping } = made;
    if (stopping.signal.aborted) return 'ours';
    this.onResponse({ contextOrigin, eligibility, tabId, requestId, reportingOrigin, headers });
    return 'ours';
  }
}

/** Whether the browser says that this extension made the request. */
const isOwn = (initiator: string | undefined): boolean =>
  initiator !== undefined && `${initiator}/`.startsWith(browser.runtime.getURL(''));
