import type { InternalId } from './records';
import type { Moment, Origin } from './units';

/** Which registrations the response to a request may make (ARA, "eligibility"). */
export type Eligibility =
  | 'unset'
  | 'empty'
  | 'event-source'
  | 'navigation-source'
  | 'trigger'
  | 'event-source-or-trigger';

/**
 * What could be found out about a request. `unknown`: Cointoss did not see the request begin, or cannot tell who wrote the mark in its URL.
 * Nothing registers from that.
 */
export type FoundEligibility = Eligibility | 'unknown';

/** What may be missing when something asks to register. Nothing registers from any of these, and each has race tests. */
export type Unknown =
  /** The browser has not told of the document, or of one around it. */
  | 'document'
  /** The response that became a document was not seen, so its header is missing. */
  | 'response'
  /** The document around a frame has not said which `allow` attribute the frame has. */
  | 'frame-attribute'
  /** A worker has documents on pages of several origins, or none. */
  | 'worker';

/** A top-level page on which registrations count, according to the browser. Only this kind of place has a `contextOrigin`. */
export interface KnownPlace {
  readonly kind: 'known';
  readonly contextOrigin: Origin;
}

/** Where nothing registers. The log names `seenOn`: the origin of the page, or of what asked if the page is unknown. */
export type BarredPlace =
  | { readonly kind: 'unknown'; readonly unknown: Unknown; readonly seenOn: Origin }
  /** By a Permissions Policy. */
  | { readonly kind: 'forbidden'; readonly seenOn: Origin }
  /** The browser prepared the page, and nobody opened it. */
  | { readonly kind: 'not-shown'; readonly seenOn: Origin };

/** Where a document or worker did something. */
export type PagePlace = KnownPlace | BarredPlace;

/** Where something happened. A redirect of a navigation is on no page. */
export type Place = PagePlace | { readonly kind: 'redirect' };

/** What a document declared of its request. */
interface DeclaredRequest {
  readonly id: InternalId;
  readonly time: Moment;
  readonly url: string;
  readonly place: PagePlace;
  /** The browser's id of the document. */
  readonly documentId: string;
  /** Null if it is opaque, as in a sandbox. */
  readonly documentOrigin: Origin | null;
  readonly tabId: number;
  /** The document around one without a URL of its own, in whose name Chrome makes requests; elsewhere, none. */
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

/** The navigation that followed a click. There is none of it before the browser began the navigation. */
export interface FollowedNavigation extends DeclaredRequest {
  readonly via: 'navigation';
  readonly eligibility: 'navigation-source';
  /** The browser's id of the request. */
  readonly requestId: string;
  /** Of the click alone. */
  readonly navigation: string;
}

/** A request that may register a source. */
export type EligibleRequest = EligibleElement | FollowedNavigation;

/** How the browser sees a request come about; `worker`: by a service worker or a shared one, which is in no tab. */
export type RequestKind = 'element' | 'fetch' | 'navigation' | 'worker';

/** The headers of a response that can register something. */
export interface RegistrationHeaders {
  readonly source: string | null;
  readonly trigger: string | null;
  readonly osSource: boolean;
  readonly osTrigger: boolean;
  readonly info: string | null;
}

/** A response whose headers register something only if its request was eligible. */
export interface UndecidedResponse {
  readonly id: InternalId;
  readonly place: Place;
  readonly time: Moment;
  readonly requestId: string;
  readonly kind: RequestKind;
  /** The first URL; empty if it is unknown or too long to be declared. */
  readonly requestUrl: string;
  readonly reportingOrigin: Origin;
  readonly tabId: number;
  /** The tab from which `tabId` was opened, if any. */
  readonly openerTabId: number | null;
  /** The document that made the request; null if none did, or the browser does not say which. */
  readonly documentId: string | null;
  /** The frame in which the browser prepared the page. It registers nothing before it is shown; other pages lack the field. */
  readonly prerenderedIn?: number;
  /** Of the document or worker that made the request; null if it is opaque or there is none. */
  readonly documentOrigin: Origin | null;
  readonly headers: RegistrationHeaders;
  /** What the request itself says; null if only its document can say it. */
  readonly eligibility: FoundEligibility | null;
  /** Null while the document may still declare the request. */
  readonly decided: Decided | null;
  /** What it was written as when it came. */
  readonly arrival?: string;
}

/** Who made a request, as the browser says. */
export interface Asker {
  readonly tabId: number;
  readonly frameId: number;
  /** -1: the document is the page. */
  readonly parentFrameId: number;
  readonly documentId?: string;
  readonly parentDocumentId?: string;
  /** Of the document or worker; null if it is opaque. */
  readonly documentOrigin: Origin | null;
}

/** A response as it came. It is written at once, before its page is known. */
export interface Arrival extends Omit<UndecidedResponse, 'id' | 'decided' | 'arrival' | 'place'> {
  /** Null until the browser has told of the document that asked. */
  readonly place: Place | null;
  readonly asker: Asker;
  /** What is known of one of Cointoss's own requests; null of any other. */
  readonly decided: Decided | null;
}

/** What a request was eligible for, and on which top-level page. */
export interface Decided {
  readonly place: Place;
  readonly eligibility: FoundEligibility;
  /** The click that led to a navigation source. */
  readonly navigation?: string | undefined;
}
