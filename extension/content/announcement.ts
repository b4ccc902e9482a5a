/**
 * How the script in the page's own world (page.ts) tells the one in the isolated world (content.ts) what the page did.
 *
 * Events on the document are the only channel between the two, so the page can forge and hear all of this. That is
 * harmless by design: an announcement gives a page nothing that it could not have by calling the API itself, no
 * announcement names a tab, a site or a reporting origin, and the user activation that a navigation source needs is
 * checked in the isolated world.
 */

/** Carries an `Announcement` as a JSON string in `detail`, as objects do not cross worlds in both browsers. */
export const announceEvent = 'cointoss:announce';

/** Carries an element in `relatedTarget`, the one way for a node to cross worlds. */
export const elementEvent = 'cointoss:element';

/** The event that answers the announcement of request `id`: it may be sent now. */
export const readyEvent = (id: number): string => `cointoss:ready:${id}`;

/** What `AttributionReportingRequestOptions` can make a request eligible for (ARA, "Network monkeypatches"). */
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
  /** A `window.open` with the `attributionsrc` feature; `sources` are the feature's values as they stand. */
  | { readonly kind: 'open'; readonly url: string; readonly sources: readonly string[] };
