import browser, { type WebRequest } from 'webextension-polyfill';
import { moment, type Origin } from '../../../src/model/units';
import type { FoundEligibility } from '../../../recording/eligibility';
import { whyBarred, type Place } from '../../../recording/places';
import type { RegistrationHeaders, Requester, RequestKind } from '../../../recording/requests';
import { originOfUrl } from '../../../src/model/origin';
import type { Asked } from '../state/asked';
import type { Badge } from '../state/badge';
import type { Erasures } from '../state/erasures';
import type { Answer, Beginning, Beginnings } from './beginnings';
import type { Documents } from '../documents/documents';
import { allowlistOf, declaredPolicy, isAllowed } from '../documents/permissions-policy';
import type { Clock } from '../state/clock';
import { keepAwake } from '../state/keep-awake';
import { eligibilityByMark, eligibilityInUrl } from '../documents/marks';
import type { NavigationAnswers } from './navigation-answers';
import type { Navigations } from '../documents/navigations';
import { allElementTypes, documentTypes, isElementType } from './request-types';
import type { Requester as Sender } from './lost-requests';
import { outsideTabs, type Begun, type OwnRequests } from './own-requests';
import { INSECURE_SERVER } from './unanswered';
import type { PlacedResponse, Recording } from '../record/recorder';
import { initiatorOrigin, isRedirect, type Details } from '../documents/request-details';
import { everyPage, webOriginOfUrl } from '../../urls';
import { attributionHeaders, type AttributionHeaders, type HeaderCalls } from '../w3c/header-calls';
import { headerOf, registrationHeaders } from './registration-headers';
import { UnusedAnswers } from './unused-answers';

type HeadersReceived = Details<WebRequest.OnHeadersReceivedDetailsType>;

/** RFC 9110, section 11.6.1: a header may name several schemes. */
const PASSWORD_SCHEME = /(?:^|,)[ \t]*(?:basic|digest|ntlm|negotiate)(?:[ \t,]|$)/i;

interface Parts {
  readonly badge: Pick<Badge, 'answered' | 'release'>;
  readonly beginnings: Beginnings;
  readonly erasures: Erasures;
  readonly ownRequests: OwnRequests;
  readonly documents: Documents;
  readonly navigations: Navigations;
  readonly navigationAnswers: NavigationAnswers;
  readonly recording: Promise<Awaited<Recording> & { readonly attribution: HeaderCalls }>;
  /** Told of responses with registration headers that no page uses. */
  readonly onUnused: (details: HeadersReceived) => void;
}

/**
 * Watches every response, including each redirect hop, for registration headers. Nearly all have none, so the listener does no other work
 * before it finds one, and there are few events for each: a page with a thousand images notices more.
 */
export class WebRequests {
  private readonly unused = new UnusedAnswers();
  /** As `unused`, of W3C Attribution's headers: a 304 may have those of one API only. */
  private readonly called = new UnusedAnswers();
  /** What came before it was known which requests had begun earlier; null: that is known. */
  private waiting: (() => void)[] | null = [];

  constructor(private readonly parts: Parts) {}

  listen(): void {
    this.unused.listen();
    // Other requests of pages are not eligible, or say so themselves. Documents are here for erasures only.
    const types = [...allElementTypes(), ...documentTypes];
    for (const filter of [outsideTabs, { ...everyPage, types }])
      // Firefox takes each function once.
      browser.webRequest.onBeforeRequest.addListener((details) => this.began(details), filter);
    browser.webRequest.onHeadersReceived.addListener((details) => this.headersReceived(details), everyPage, [
      'responseHeaders',
    ]);
    browser.webRequest.onErrorOccurred.addListener(({ requestId, tabId, type }) => {
      this.parts.navigationAnswers.failed(requestId);
      if (type === 'main_frame') this.parts.badge.release(tabId, requestId);
      this.onceLoaded(() => this.parts.beginnings.forget(requestId));
    }, everyPage);
    browser.webRequest.onBeforeRedirect.addListener((details) => {
      const { requestId } = details;
      if (isWatched(details)) this.parts.beginnings.sees(requestId, senderOf(details));
      this.onceLoaded(() => this.parts.beginnings.followed(requestId));
    }, everyPage);
    browser.tabs.onRemoved.addListener((tabId) =>
      this.onceLoaded(() => this.parts.beginnings.tabClosed(tabId)),
    );
    void this.parts.beginnings.loaded.then(() => {
      const waiting = this.waiting ?? [];
      this.waiting = null;
      for (const act of waiting) act();
    });
  }

  private began(details: Begun): undefined {
    this.parts.ownRequests.began(details);
    const { beginnings, erasures } = this.parts;
    const { requestId } = details;
    const sender = senderOf(details);
    beginnings.began(requestId, sender, this.askedNow(details));
    this.onceLoaded(() => {
      const asked = beginnings.begunAt(requestId, sender);
      if (asked !== null) erasures.began(requestId, asked);
    });
  }

  private onceLoaded(act: () => void): void {
    if (this.waiting === null) act();
    else this.waiting.push(act);
  }

  private headersReceived(details: HeadersReceived): undefined {
    const { requestId, url, statusCode, responseHeaders = [] } = details;
    const headers = registrationHeaders(responseHeaders);
    const receiver = this.unused.receiverOf(details);
    if (receiver === 'nobody') this.onceLoaded(() => this.parts.beginnings.forget(requestId));
    if (receiver !== 'page') {
      if (headers !== null) this.parts.onUnused(details);
      return;
    }
    // Without the header, browsers show the answer.
    const location = isRedirect(statusCode) ? headerOf(responseHeaders, 'location') : null;
    if (details.type === 'main_frame') {
      const isLast = kindOfAnswer(details, location) === 'last';
      this.parts.navigationAnswers.answered(requestId, headers, isLast);
      if (location === null && details.documentLifecycle !== 'prerender') this.parts.badge.answered(details);
    }
    // Also a second time: a 304 need not repeat the policy of the cached answer.
    if (location === null) this.mayBecomeDocument(details);
    const attribution = attributionHeaders(responseHeaders, (name) => headerOf(responseHeaders, name));
    if (attribution !== null && !this.called.wasSeen(details, true))
      this.onceLoaded(() => this.attribution(details, attribution));
    if (this.unused.wasSeen(details, headers !== null)) return;
    if (this.parts.ownRequests.responseTo(requestId, url, headers, location)) return;
    const sender = senderOf(details);
    if (isWatched(details)) this.parts.beginnings.sees(requestId, sender);
    this.onceLoaded(() => {
      const asked = this.askedAt(details);
      const mustBegin = beginsReported(details);
      const answer = kindOfAnswer(details, location);
      const beginning = this.parts.beginnings.answered(requestId, url, answer, sender, mustBegin);
      if (headers === null) return;
      const reportingOrigin = originOfUrl(url);
      if (reportingOrigin === null) keepAwake(this.refuseInsecure(details, asked));
      else this.record(this.observe(details, beginning, reportingOrigin, headers), details.timeStamp, asked);
    });
  }

  /** When a request began, on the device's clock. If the browser does not tell that of such requests, its answer counts. */
  private askedAt(details: HeadersReceived): Asked {
    const { requestId } = details;
    if (!isWatched(details)) return this.askedNow(details);
    const { beginnings, erasures } = this.parts;
    return beginnings.askedAt(requestId, senderOf(details)) ?? erasures.unseen(requestId);
  }

  /** Browsers tell parts of milliseconds. */
  private askedNow({ timeStamp }: { readonly timeStamp: number }): Asked {
    return this.parts.erasures.asked(moment(Math.floor(timeStamp)));
  }

  /** Logs that a server on http registers nothing: on its own page, or on the page that asked. */
  private async refuseInsecure(details: HeadersReceived, deviceAsked: Asked): Promise<void> {
    const { url, tabId, type } = details;
    const server = webOriginOfUrl(url);
    if (server === null) return;
    const { clock, recorder } = await this.parts.recording;
    const asked = onClock(deviceAsked, clock);
    const place =
      type === 'main_frame'
        ? ({ kind: 'insecure', seenOn: this.startedOn(details) ?? server } as const)
        : await this.parts.documents.placeOf(requesterOf(details), server);
    const isOfPage = place.kind === 'insecure' && type !== 'main_frame';
    await recorder.refusals.dropped(
      url,
      { tabId, place, asked },
      isOfPage ? whyBarred(place) : INSECURE_SERVER,
    );
  }

  /** What W3C Attribution's headers ask for. */
  private attribution(details: HeadersReceived, headers: AttributionHeaders): void {
    const { url, type } = details;
    const asked = this.askedAt(details);
    const requester = requesterOf(details);
    keepAwake(
      this.parts.recording.then(({ attribution, clock }) =>
        attribution.response({ url, type, requester, headers }, onClock(asked, clock)),
      ),
    );
  }

  private record(response: Omit<PlacedResponse, 'time'>, deviceTime: number, asked: Asked): void {
    const recorded = this.parts.recording.then(({ clock, recorder }) =>
      recorder.response({ ...response, time: clock.at(deviceTime) }, onClock(asked, clock)),
    );
    keepAwake(recorded);
  }

  private mayBecomeDocument(details: HeadersReceived): void {
    const { type, tabId, frameId, url, responseHeaders = [] } = details;
    if (documentTypes.has(type))
      this.parts.documents.answered({ tabId, frameId, url, policy: policyOf(responseHeaders) });
    const origin = initiatorOrigin(details);
    if (tabId < 0 && type === 'xmlhttprequest' && origin !== null && origin === originOfUrl(url))
      this.parts.documents.workerAnswered(origin, url, policyOf(responseHeaders));
  }

  /** The page with the document that started a navigation; null if it is unknown. */
  private startedOn(details: HeadersReceived): Origin | null {
    const { tabId } = details;
    const openerTabId = this.parts.navigations.openerOf(tabId) ?? tabId;
    return this.parts.documents.pageWith([tabId, openerTabId], initiatorOrigin(details));
  }

  private observe(
    details: HeadersReceived,
    beginning: Beginning,
    reportingOrigin: Origin,
    headers: RegistrationHeaders,
  ): Omit<PlacedResponse, 'time'> {
    const { requestId, tabId, frameId, type, documentLifecycle } = details;
    const kind = tabId < 0 ? 'worker' : kindOf(type);
    const openerTabId = this.parts.navigations.openerOf(tabId);
    const startedOn = kind === 'navigation' ? this.startedOn(details) : null;
    return {
      place: kind === 'navigation' ? placeOfNavigation(details, reportingOrigin, headers) : null,
      requester: requesterOf(details),
      requestId,
      requestUrl: beginning.kind === 'known' ? beginning.url : '',
      reportingOrigin,
      kind,
      openerTabId,
      ...(startedOn === null ? {} : { startedOn }),
      ...(documentLifecycle === 'prerender' ? { prerenderedIn: frameId } : {}),
      headers,
      eligibility: eligibilityOf(details, kind, beginning, headers),
    };
  }
}

/** What the request itself says. Only a document can tell of an element, and whether a worker's request is one of its elements'. */
function eligibilityOf(
  details: HeadersReceived,
  kind: RequestKind,
  beginning: Beginning,
  headers: RegistrationHeaders,
): FoundEligibility | null {
  // The browser's id of the request says which click it followed.
  if (kind === 'navigation') return null;
  const origin = initiatorOrigin(details);
  const isOfScript = details.type === 'xmlhttprequest';
  const marked = isOfScript ? eligibilityInUrl(details.url, origin) : null;
  if (marked !== null && marked !== 'unknown') return marked;
  if (beginning.kind === 'unknown') return 'unknown';
  if (beginning.kind === 'missed' && (headers.source !== null || headers.osSource)) return 'unknown';
  // A document without an origin declares what it marks.
  if (beginning.kind === 'known' && isOfScript && beginning.mark !== null)
    return origin === null ? null : eligibilityByMark(beginning.mark, origin);
  return kind === 'fetch' ? 'unset' : null;
}

function kindOfAnswer(details: HeadersReceived, location: string | null): Answer {
  if (location !== null) return 'redirect';
  return isWatched(details) && asksForPassword(details) ? 'refusal' : 'last';
}

/** Whether the browser may ask the person for a password: pages send other credentials with requests of their own. */
function asksForPassword({ statusCode, responseHeaders = [] }: HeadersReceived): boolean {
  const header = { 401: 'www-authenticate', 407: 'proxy-authenticate' }[statusCode];
  return responseHeaders.some(
    ({ name, value = '' }) => name.toLowerCase() === header && PASSWORD_SCHEME.test(value),
  );
}

function requesterOf(details: HeadersReceived): Requester {
  const { tabId, frameId, documentId, parentDocumentId, type } = details;
  // Of what a frame asks for while its page is left, Firefox may name the next page as the document around.
  const isOfDocument = documentTypes.has(type);
  return {
    tabId,
    frameId,
    ...(documentId === undefined ? {} : { documentId }),
    ...(parentDocumentId === undefined || !isOfDocument ? {} : { parentDocumentId }),
    documentOrigin: initiatorOrigin(details),
  };
}

/**
 * A document's page is itself, and its own policy holds for its trigger. A source belongs to the page that was left. A redirect hop on the way
 * is on no page.
 */
function placeOfNavigation(
  { statusCode, responseHeaders = [] }: HeadersReceived,
  origin: Origin,
  { trigger, osTrigger }: RegistrationHeaders,
): Place {
  if (isRedirect(statusCode) && headerOf(responseHeaders, 'location') !== null) return { kind: 'redirect' };
  const allowlist = allowlistOf(declaredPolicy(policyOf(responseHeaders), origin), 'attribution-reporting');
  const mayTrigger = isAllowed(allowlist, origin);
  return (trigger === null && !osTrigger) || mayTrigger
    ? { kind: 'known', contextOrigin: origin }
    : { kind: 'forbidden', seenOn: origin };
}

/** The browser tells the device's time. */
const onClock = (asked: Asked, clock: Clock): Asked => ({
  ...asked,
  time: asked.time === null ? null : clock.at(asked.time),
});

type Requesting = Begun & { readonly documentId?: string };

/** Who sends it, as `Beginnings` tells senders apart. */
const senderOf = (details: Requesting): Sender => ({
  tabId: details.tabId,
  documentId: details.documentId,
  origin: details.tabId < 0 ? initiatorOrigin(details) : null,
});

/** Whether the beginning of such a request decides what it registers. */
const beginsReported = ({ type, tabId }: Requesting): boolean =>
  isElementType(type) || (tabId < 0 && type === 'xmlhttprequest');

/** Whether the browser reports when such a request begins. */
const isWatched = (details: Requesting): boolean =>
  beginsReported(details) || documentTypes.has(details.type);

const policyOf = (headers: WebRequest.HttpHeaders): string => headerOf(headers, 'permissions-policy') ?? '';

function kindOf(type: WebRequest.ResourceType): RequestKind {
  if (type === 'main_frame') return 'navigation';
  return isElementType(type) ? 'element' : 'fetch';
}
