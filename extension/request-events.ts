import type { Eligibility, FoundEligibility } from '../recording/eligibility';
import type { Origin } from '../src/model/units';

/** The name of the port by which an open page of requests gets `RequestEvent`s. */
export const REQUESTS_PORT = 'requests';

/** What such a page sends to have the background forget the requests with these ids; null: all that it keeps. */
export interface ForgetRequests {
  readonly forget: readonly string[] | null;
}

/** In ms: how often such a page tells the background that it is open. Without messages, Chrome stops the background. */
export const REQUESTS_PING = 20_000;

/** What the browser says of a request or a redirect hop. */
interface RequestHop {
  /** The browser's id of the request, the same on each redirect. */
  readonly requestId: string;
  /** Without the fragment. */
  readonly url: string;
  readonly method: string;
  /** The browser's word for what made it: `image`, `main_frame`, … */
  readonly type: string;
  readonly tabId: number;
  readonly frameId: number;
  readonly initiator: string | null;
  /** The top-level page that it counts on; null on a redirect of a navigation, which is on no page. */
  readonly page: Origin | null;
  /** Whether Cointoss made it, for an `attributionsrc`. */
  readonly isOwn: boolean;
  /** What it is eligible for, as far as the request itself says; null if only its document can say it. */
  readonly eligibility: FoundEligibility | null;
  /** On the device's clock, in ms since 1970. */
  readonly time: number;
}

export interface HeaderLine {
  readonly name: string;
  readonly value: string;
}

export type RequestEvent =
  | (RequestHop & { readonly kind: 'sent'; readonly headers: readonly HeaderLine[] })
  | (RequestHop & {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: readonly HeaderLine[];
    })
  | (RequestHop & { readonly kind: 'failed'; readonly error: string })
  /** A document declared the request for this URL eligible. */
  | {
      readonly kind: 'declared';
      readonly url: string;
      readonly tabId: number;
      readonly eligibility: Eligibility;
    }
  /** What the response of that origin registered, or failed to: `entry` is the id in the log, null if nothing was logged. */
  | {
      readonly kind: 'decided';
      readonly requestId: string;
      readonly reportingOrigin: Origin;
      readonly eligibility: FoundEligibility;
      readonly page: Origin | null;
      readonly entry: number | null;
    }
  /** No page uses this response: it answers a CORS preflight, was fetched ahead, or is yet to be merged with what the browser has. */
  | { readonly kind: 'unused'; readonly requestId: string; readonly url: string };

/** Later events have greater numbers, also after the background has restarted. */
export interface NumberedEvent {
  readonly number: number;
  readonly event: RequestEvent;
}
