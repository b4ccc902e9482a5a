import browser, { type Runtime, type WebRequest } from 'webextension-polyfill';
import type { InternalId } from '../../../src/model/records';
import type { FoundEligibility } from '../../../recording/eligibility';
import type { Decided, EligibleRequest, ObservedResponse } from '../../../recording/requests';
import type { Origin } from '../../../src/model/units';
import { originOfUrl } from '../../../src/model/origin';
import { originOfPlace } from '../../../recording/places';
import { eligibilityOf } from '../../../recording/eligibility';
import { ELIGIBLE, parseEligible } from '../../../recording/structured-headers';
import {
  type ForgetRequests,
  type HeaderLine,
  type NumberedEvent,
  type RequestEvent,
} from '../../request-events';
import type { Documents } from './documents';
import { eligibilityInUrl } from './marks';
import type { RecentRequests } from './recent-requests';
import { isRedirect, initiatorOf, initiatorOrigin, textOf, type Details } from './request-details';
import { everyPage, withoutFragment } from '../../urls';

/** In characters: how much of a header's value a page gets. */
const LONGEST_VALUE = 4000;
/** The headers that decide about registrations, or say where a request comes from and leads to. No cookies. */
const TOLD = /^(attribution.*|content-type|location|origin|permissions-policy|referer|sec-fetch-.*)$/i;

type Sent = Details<WebRequest.OnSendHeadersDetailsType>;
type Answered = Details<WebRequest.OnHeadersReceivedDetailsType>;
type Failed = Details<WebRequest.OnErrorOccurredDetailsType>;

type Declared = Pick<EligibleRequest, 'url' | 'tabId' | 'eligibility' | 'place'>;

/** What the log says about a request that Cointoss made itself. */
interface OwnRequest {
  readonly tabId: number;
  readonly contextOrigin: Origin;
  readonly eligibility: FoundEligibility;
}

interface Parts {
  readonly documents: Documents;
  readonly recent: RecentRequests;
  /** What documents declared eligible recently. */
  readonly declarations: () => Promise<readonly Declared[]>;
  readonly ownRequests: { of(requestId: string): OwnRequest | undefined };
  /** Whether the log must say nothing about this page's requests; null: about a request on no page. */
  readonly isPaused: (page: Origin | null) => Promise<boolean>;
}

/**
 * Sends the open _Requests_ pages what the browser sends and receives. In debug mode it also keeps the newest events, for pages that are opened
 * later. Otherwise it listens to nothing while no page is open, and keeps nothing.
 */
export class RequestLog {
  /** For each page, whether it got the earlier events. */
  private readonly ports = new Map<Runtime.Port, boolean>();
  private keeps = false;
  private isListening = false;
  private lastNumber = 0;
  /** Ends when the last event is sent. Finding a request's page takes time, and the events must keep their order. */
  private telling: Promise<unknown>;

  constructor(private readonly parts: Parts) {
    this.telling = parts.recent.loaded;
  }

  /** @param keeps whether the newest events are kept while no page is open */
  turn(keeps: boolean): void {
    this.keeps = keeps;
    if (!keeps) this.forget();
    this.listen();
  }

  /** Forgets what is kept of these requests; null: of all. */
  forget(requestIds: ReadonlySet<string> | null = null): void {
    this.next(() => this.parts.recent.forget(requestIds));
  }

  /** @param port of a page of the extension */
  open(port: Runtime.Port): void {
    // The page's other messages only keep the background awake.
    port.onMessage.addListener((message) => {
      if (message === null) return;
      // Only a page of the extension can be at the other end.
      const { forget } = message as ForgetRequests;
      this.forget(forget === null ? null : new Set(forget));
    });
    port.onDisconnect.addListener(() => {
      this.ports.delete(port);
      this.listen();
    });
    this.ports.set(port, false);
    this.listen();
    this.next(() => this.tellEarlier(port));
  }

  /** What is kept; if that is nothing, at least what documents declared for requests that may still come. */
  private async tellEarlier(port: Runtime.Port): Promise<void> {
    const declared = this.keeps ? [] : await this.parts.declarations();
    for (const { place, ...declaration } of declared)
      await this.post([port], originOfPlace(place), this.numbered(eventOf(declaration)));
    for (const { page, ...event } of this.parts.recent.events) await this.post([port], page, event);
    if (this.ports.has(port)) this.ports.set(port, true);
  }

  /** A document declared the request for a URL eligible. */
  declared({ place, ...declaration }: Declared): void {
    this.tell(originOfPlace(place), eventOf(declaration));
  }

  /** @param entry what the log has of it; null: nothing */
  decided(
    { requestId, reportingOrigin }: Pick<ObservedResponse, 'requestId' | 'reportingOrigin'>,
    { eligibility, place }: Decided,
    entry: InternalId | null,
  ): void {
    const page = originOfPlace(place);
    this.tell(page, { kind: 'decided', requestId, reportingOrigin, eligibility, page, entry });
  }

  /** Of a response that no page uses. */
  unused(details: Answered): void {
    const { requestId, url, statusCode } = details;
    const event = { kind: 'unused', requestId, url: withoutFragment(url) } as const;
    if (this.isListening) this.tell(this.pageOf(details, statusCode), event);
  }

  /** Listens exactly while a page is open or the newest events are kept. */
  private listen(): void {
    const mustListen = this.keeps || this.ports.size > 0;
    if (mustListen === this.isListening) return;
    this.isListening = mustListen;
    if (mustListen) {
      browser.webRequest.onSendHeaders.addListener(this.sent, everyPage, ['requestHeaders']);
      browser.webRequest.onHeadersReceived.addListener(this.answered, everyPage, ['responseHeaders']);
      browser.webRequest.onErrorOccurred.addListener(this.failed, everyPage);
    } else {
      browser.webRequest.onSendHeaders.removeListener(this.sent);
      browser.webRequest.onHeadersReceived.removeListener(this.answered);
      browser.webRequest.onErrorOccurred.removeListener(this.failed);
    }
  }

  private readonly sent = (details: Sent): void =>
    this.tellOf(details, null, { kind: 'sent', headers: headerLines(details.requestHeaders) });

  private readonly answered = (details: Answered): undefined => {
    const { statusCode: status, responseHeaders } = details;
    this.tellOf(details, status, { kind: 'answered', status, headers: headerLines(responseHeaders) });
  };

  private readonly failed = (details: Failed): void =>
    this.tellOf(details, null, { kind: 'failed', error: details.error });

  private tellOf(
    details: Sent | Answered | Failed,
    status: number | null,
    what:
      | { readonly kind: 'sent'; readonly headers: readonly HeaderLine[] }
      | { readonly kind: 'answered'; readonly status: number; readonly headers: readonly HeaderLine[] }
      | { readonly kind: 'failed'; readonly error: string },
  ): void {
    const { requestId, url, method, type, tabId, frameId, timeStamp: time } = details;
    const own = this.parts.ownRequests.of(requestId);
    const initiator = initiatorOf(details) ?? null;
    // The extension's other requests are reports.
    if (own === undefined && initiator !== null && isOwn(initiator)) return;
    const hop = { requestId, url: withoutFragment(url), method, type, frameId, initiator, time };
    const page = own?.contextOrigin ?? this.pageOf(details, status);
    this.tell(page, (found) => ({
      ...hop,
      tabId: own?.tabId ?? tabId,
      page: found,
      isOwn: own !== undefined,
      eligibility: own?.eligibility ?? eligibilityIn(details),
      ...what,
    }));
  }

  private async pageOf(details: Sent | Answered | Failed, status: number | null): Promise<Origin | null> {
    const origin = originOfUrl(details.url);
    if (origin === null) return null;
    if (details.type === 'main_frame') return status !== null && isRedirect(status) ? null : origin;
    const documentOrigin = initiatorOrigin(details);
    return this.parts.documents.pageOf({ ...details, documentOrigin }, origin);
  }

  private tell(
    page: Origin | null | Promise<Origin | null>,
    event: RequestEvent | ((page: Origin | null) => RequestEvent),
  ): void {
    if (!this.isListening) return;
    this.next(async () => {
      const found = await page;
      const numbered = this.numbered(typeof event === 'function' ? event(found) : event);
      const told = [...this.ports].flatMap(([port, isTold]) => (isTold ? [port] : []));
      const isTold = await this.post(told, found, numbered);
      if (isTold && this.keeps) this.parts.recent.add({ ...numbered, page: found });
    });
  }

  /** @returns whether the log may show the page's requests */
  private async post(
    ports: readonly Runtime.Port[],
    page: Origin | null,
    numbered: NumberedEvent,
  ): Promise<boolean> {
    if (await this.parts.isPaused(page)) return false;
    for (const port of ports) if (this.ports.has(port)) port.postMessage(numbered);
    return true;
  }

  /** Numbers are times, so they grow although the background forgets the last one when it ends. */
  private numbered(event: RequestEvent): NumberedEvent {
    this.lastNumber = Math.max(this.lastNumber + 1, Date.now());
    return { number: this.lastNumber, event };
  }

  private next(act: () => Promise<void> | void): void {
    this.telling = this.telling
      .then(act)
      .catch((error: unknown) => console.error('Cointoss could not tell of a request', error));
  }
}

const eventOf = ({ url, tabId, eligibility }: Omit<Declared, 'place'>): RequestEvent => ({
  kind: 'declared',
  url,
  tabId,
  eligibility,
});

const isOwn = (initiator: string): boolean => `${initiator}/`.startsWith(browser.runtime.getURL(''));

/** The eligibility in the fragment of a script's request, or in the request's header; null if it has neither. */
function eligibilityIn(details: Sent | Answered | Failed): FoundEligibility | null {
  const marked =
    details.type === 'xmlhttprequest' ? eligibilityInUrl(details.url, initiatorOrigin(details)) : null;
  if (marked !== null) return marked;
  if (!('requestHeaders' in details)) return null;
  const header = details.requestHeaders.find(({ name }) => name.toLowerCase() === ELIGIBLE.toLowerCase());
  return header === undefined ? null : eligibilityOf(parseEligible(textOf(header)).value);
}

const headerLines = (headers: WebRequest.HttpHeaders = []): readonly HeaderLine[] =>
  headers
    .filter(({ name }) => TOLD.test(name))
    .map((header) => ({ name: header.name, value: shortened(textOf(header)) }));

const shortened = (value: string): string =>
  value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}…` : value;
