/**
 * How the script in the page's own world (page.ts) tells the one in the isolated world (content.ts) what the page did.
 *
 * Events on the document are the only channel between the two, so the page can forge and read all of this. That is harmless by design. An
 * announcement gives a page nothing that it could not get by calling the API itself. No announcement names a tab, a site or a reporting
 * origin. The isolated world checks the user activation that a navigation source needs.
 */

/** Carries an `Announcement` as a JSON string in `detail`, because not all browsers pass objects between worlds. */
export const announceEvent = 'cointoss:announce';

/** Carries an element in `relatedTarget`, the only way to pass a node between worlds. */
export const elementEvent = 'cointoss:element';

/** Answers the announcement of request `id`: the request may be sent now. */
export const readyEvent = (id: number): string => `cointoss:ready:${id}`;

/** The eligibilities that `AttributionReportingRequestOptions` can express (ARA, "Network monkeypatches"). */
export const requestEligibilities = ['empty', 'event-source', 'trigger', 'event-source-or-trigger'] as const;

export type RequestEligibility = (typeof requestEligibilities)[number];

export type Announcement =
  /** A fetch or XMLHttpRequest that the page is about to make. */
  | {
      readonly kind: 'request';
      readonly id: number;
      readonly url: string;
      readonly eligibility: RequestEligibility;
    }
  /** A `window.open` with the `attributionsrc` feature; `sources` are the feature's unparsed values. */
  | { readonly kind: 'open'; readonly url: string; readonly sources: readonly string[] };
