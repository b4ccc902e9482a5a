import type { Moment, Origin } from '../src/model/units';
import type { Eligibility, FoundEligibility } from './eligibility';
import type { PagePlace, Place } from './places';

/** In ms: how long a document may take to declare a request after its response arrived. */
export const DECLARATION_TIME = 10_000;
/** In ms: how long the response to a declared request may take. */
export const RESPONSE_TIME = 60_000;

/** How the browser describes the start of a request. `worker`: by a service worker or a shared worker, which is in no tab. */
export type RequestKind = 'element' | 'fetch' | 'navigation' | 'worker';

/** The headers of a response that can register something. */
export interface RegistrationHeaders {
  readonly source: string | null;
  readonly trigger: string | null;
  readonly osSource: boolean;
  readonly osTrigger: boolean;
  readonly info: string | null;
  /** A header that only looks like one of these, if there is one and none of these. */
  readonly unknown?: UnknownHeader;
}

export interface UnknownHeader {
  readonly name: string;
  /** The header that was probably meant. */
  readonly meant: string;
}

/** Who made a request, according to the browser. */
export interface Requester {
  readonly tabId: number;
  readonly frameId: number;
  readonly documentId?: string;
  readonly parentDocumentId?: string;
  /** The origin of the document or worker; null if it is opaque. */
  readonly documentOrigin: Origin | null;
}

/** A response with registration headers, as the browser reports it. */
export interface ObservedResponse {
  readonly time: Moment;
  readonly requestId: string;
  readonly kind: RequestKind;
  readonly requester: Requester;
  /** The first URL; empty if it is unknown or too long to be declared. */
  readonly requestUrl: string;
  readonly reportingOrigin: Origin;
  /** The tab from which the requester's tab was opened, if any. */
  readonly openerTabId: number | null;
  /** For a navigation: the page with the document that started it, if it is known. */
  readonly startedOn?: Origin;
  /** The frame in which the browser prerendered the page. The page registers nothing before it is shown. Other pages lack the field. */
  readonly prerenderedIn?: number;
  readonly headers: RegistrationHeaders;
  /** What the request itself declares; null if only its document can declare it. */
  readonly eligibility: FoundEligibility | null;
}

/** What a request was eligible for, and on which top-level page. */
export interface Decided {
  readonly place: Place;
  readonly eligibility: FoundEligibility;
  /** The click that led to a navigation source. */
  readonly navigation?: string | undefined;
}

/** A document's declaration for one of its requests. */
interface DeclaredRequest {
  readonly time: Moment;
  readonly url: string;
  readonly place: PagePlace;
  /** The browser's id of the document. */
  readonly documentId: string;
  /** Null if it is opaque, as in a sandbox. */
  readonly documentOrigin: Origin | null;
  readonly tabId: number;
  /** The document around one without a URL, on whose behalf Chrome makes requests; otherwise none. */
  readonly around?: string;
}

/** A request that its document declared eligible, for an element with `attributionsrc`. */
export interface EligibleElement extends DeclaredRequest {
  readonly via: 'element';
  readonly eligibility: Exclude<Eligibility, 'navigation-source'>;
  /** The browser's id of the request; null until the first response with registration headers. */
  readonly requestId: string | null;
  readonly navigation?: undefined;
}

/** The navigation that followed a click. It exists only once the browser has begun the navigation. */
export interface FollowedNavigation extends DeclaredRequest {
  readonly via: 'navigation';
  readonly eligibility: 'navigation-source';
  /** The browser's id of the request. */
  readonly requestId: string;
  /** The navigation's id, which belongs to this click alone. */
  readonly navigation: string;
}

/** A request that may register a source. */
export type EligibleRequest = EligibleElement | FollowedNavigation;

/** What makes a request eligible. An element is known before its request, a navigation together with it. */
export type Declaration = Omit<EligibleElement, 'requestId'> | FollowedNavigation;

/** A response until it is registered. */
export interface StoredResponse {
  readonly id: number;
  readonly response: ObservedResponse;
  /** Null until the browser has reported the requesting document. */
  readonly place: Place | null;
  /** Null while the document may still declare the request. */
  readonly decided: Decided | null;
}

/** A declaration, as long as responses to its request may come. */
export interface StoredRequest {
  readonly id: number;
  readonly request: EligibleRequest;
}

/** What the inbox holds. */
export type InboxRow = StoredResponse | StoredRequest;

/** Whether a response belongs to a declared request. */
export function isOf(request: EligibleRequest, response: ObservedResponse): boolean {
  const { requestId, url, time, via, documentId, around, documentOrigin, tabId } = request;
  const { requester, openerTabId, kind } = response;
  if (url !== response.requestUrl || (requestId ?? response.requestId) !== response.requestId) return false;
  const isClaimed = via === 'element' && requestId !== null;
  // Browsers reuse ids after a restart.
  if (!isClaimed && Math.abs(response.time - time) > RESPONSE_TIME) return false;
  if (kind === 'navigation')
    // A click may open another tab, so only the origin shows who started the navigation. All opaque origins look the same.
    return (
      via === 'navigation' &&
      documentOrigin === requester.documentOrigin &&
      (documentOrigin !== null || tabId === requester.tabId || tabId === openerTabId)
    );
  if (via === 'navigation') return false;
  // A service worker makes the requests of the documents of its origin.
  return kind === 'worker'
    ? documentOrigin !== null && documentOrigin === requester.documentOrigin
    : requester.documentId === documentId || (around !== undefined && requester.documentId === around);
}

/**
 * How a declaration decides a response at this place. Navigations and workers have no page themselves; for an element, the page is the
 * one that the browser names for its response.
 */
export function decidedBy(declared: EligibleRequest, { kind }: ObservedResponse, place: Place): Decided {
  const { eligibility, navigation } = declared;
  const isOnNoPage = kind === 'navigation' || kind === 'worker';
  // The element may be in a frame for which the browser names the surrounding document.
  const isDeclared = isOnNoPage || declared.place.kind !== 'known';
  return { eligibility, place: isDeclared ? declared.place : place, navigation };
}

/**
 * How a response without a declaration is decided; null while one may still arrive. Elements are often found only after their responses.
 */
export function undeclared({ headers }: ObservedResponse, place: Place): Decided | null {
  // Without a source header, a later declaration would change nothing.
  return headers.source === null && !headers.osSource ? { eligibility: 'unset', place } : null;
}
