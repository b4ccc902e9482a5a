import browser, { type Runtime, type WebRequest } from 'webextension-polyfill';
import type { InternalId } from '../../../src/model/records';
import type { FoundEligibility } from '../../../recording/eligibility';
import type { Decided, EligibleRequest, ObservedResponse } from '../../../recording/requests';
import type { Origin } from '../../../src/model/units';
import { originOfUrl } from '../../../src/model/origin';
import { originOfPlace } from '../../../recording/places';
import { eligibilityOf } from '../../../recording/eligibility';
import { ELIGIBLE, parseEligible } from '../../../recording/structured-headers';
import type { HeaderLine, RequestEvent } from '../../request-events';
import type { Documents } from './documents';
import { eligibilityInUrl } from './marks';
import { isRedirect, initiatorOf, initiatorOrigin, textOf, type Details } from './request-details';
import { everyPage, withoutFragment } from '../../urls';

/** In characters: what a page is told of a header's value. */
const LONGEST_VALUE = 4000;
/** The headers that decide about registrations, or say where a request comes from and leads to. No cookies. */
const TOLD =
  /^(attribution-reporting-.*|content-type|location|origin|permissions-policy|referer|sec-fetch-.*)$/i;

type Sent = Details<WebRequest.OnSendHeadersDetailsType>;
type Answered = Details<WebRequest.OnHeadersReceivedDetailsType>;
type Failed = Details<WebRequest.OnErrorOccurredDetailsType>;

/** What is told of a request that Cointoss made itself. */
interface OwnRequest {
  readonly tabId: number;
  readonly contextOrigin: Origin;
  readonly eligibility: FoundEligibility;
}

interface Parts {
  readonly documents: Documents;
  readonly ownRequests: { of(requestId: string): OwnRequest | undefined };
  /** Whether nothing may be told of this page's requests; null: of a request on no page. */
  readonly isPaused: (page: Origin | null) => Promise<boolean>;
}

/** Tells the open pages of requests what the browser sends and gets. While none is open, it listens to nothing. Nothing is kept here. */
export class RequestLog {
  private readonly ports = new Set<Runtime.Port>();
  /** The last event to be told. Finding a request's page takes time, and the events must keep their order. */
  private telling: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: Parts) {}

  /** @param port of a page of the extension */
  open(port: Runtime.Port): void {
    // The page's messages only keep the background awake.
    port.onMessage.addListener(() => undefined);
    port.onDisconnect.addListener(() => {
      this.ports.delete(port);
      if (this.ports.size === 0) this.stop();
    });
    if (this.ports.size === 0) this.start();
    this.ports.add(port);
  }

  /** A document declared the request for a URL eligible. */
  declared({
    url,
    tabId,
    eligibility,
    place,
  }: Pick<EligibleRequest, 'url' | 'tabId' | 'eligibility' | 'place'>): void {
    this.tell(originOfPlace(place), { kind: 'declared', url, tabId, eligibility });
  }

  /** @param entry what the log has of it; null: nothing */
  decided(
    { requestId, reportingOrigin }: ObservedResponse,
    { eligibility, place }: Decided,
    entry: InternalId | null,
  ): void {
    const page = originOfPlace(place);
    this.tell(page, { kind: 'decided', requestId, reportingOrigin, eligibility, page, entry });
  }

  private start(): void {
    browser.webRequest.onSendHeaders.addListener(this.sent, everyPage, ['requestHeaders']);
    browser.webRequest.onHeadersReceived.addListener(this.answered, everyPage, ['responseHeaders']);
    browser.webRequest.onErrorOccurred.addListener(this.failed, everyPage);
  }

  private stop(): void {
    browser.webRequest.onSendHeaders.removeListener(this.sent);
    browser.webRequest.onHeadersReceived.removeListener(this.answered);
    browser.webRequest.onErrorOccurred.removeListener(this.failed);
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
    if (this.ports.size === 0) return;
    this.telling = this.telling
      .then(async () => {
        const found = await page;
        if (await this.parts.isPaused(found)) return;
        const message = typeof event === 'function' ? event(found) : event;
        for (const port of this.ports) port.postMessage(message);
      })
      .catch((error: unknown) => console.error('Cointoss could not tell of a request', error));
  }
}

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
