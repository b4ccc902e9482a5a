import type { InternalId } from './records';
import type { Moment, Origin } from './units';

/** Which registrations the response to a request may make (ARA, "eligibility"). */
export type Eligibility =
  'unset' | 'empty' | 'event-source' | 'navigation-source' | 'trigger' | 'event-source-or-trigger';

/** A request that its document declared eligible: an element with `attributionsrc`, a call, or a click. */
export interface EligibleRequest {
  readonly id: InternalId;
  readonly time: Moment;
  readonly via: RequestKind;
  readonly url: string;
  readonly eligibility: Eligibility;
  readonly tabId: number;
  readonly frameId: number;
  readonly documentOrigin: Origin;
  /** Of the top-level page. */
  readonly contextOrigin: Origin;
  /** The browser's id of the request; null until the first response with registration headers. */
  readonly requestId: string | null;
}

/** How a request comes about, as both the page and the browser see it. */
export type RequestKind = 'element' | 'fetch' | 'navigation';

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
  readonly time: Moment;
  readonly requestId: string;
  readonly kind: RequestKind;
  readonly requestUrl: string;
  readonly reportingOrigin: Origin;
  readonly tabId: number;
  readonly frameId: number;
  /** Of the document that made the request. */
  readonly documentOrigin: Origin;
  /** The top-level page; null on a redirect of a navigation, which is on no page. */
  readonly contextOrigin: Origin | null;
  readonly headers: RegistrationHeaders;
  /** Null while the document may still declare the request. */
  readonly decided: Decided | null;
}

/** What a request was eligible for, and on which top-level page. */
export interface Decided {
  readonly eligibility: Eligibility;
  readonly contextOrigin: Origin | null;
}
