import type { RequestEligibility } from '../eligibility-mark';

/**
 * How the script in the page's own world (page.ts) tells the one in the isolated world (content.ts) what the page did.
 *
 * Events on the document are the only channel between the two, so the page can forge and read all of this. That is harmless by design. An
 * announcement gives a page nothing that it could not get by calling the API itself. No announcement names a tab, a site or a reporting
 * origin. The isolated world checks the user activation that a navigation source needs, and the background that there is a navigation.
 */

/** Carries an `Announcement` as a JSON string in `detail`, because not all browsers pass objects between worlds. */
export const announceEvent = 'cointoss:announce';

/** Carries an element in `relatedTarget`, or is dispatched at it: the only ways to pass a node between worlds. */
export const elementEvent = 'cointoss:element';

/** Carries the document's seal (seal.ts) to page.ts, once. No script of the page runs before. */
export const sealEvent = 'cointoss:seal';

/** Asks for it, if page.ts runs later than content.ts. */
export const sealAskedEvent = 'cointoss:seal-asked';

/** The element that such an event carries. */
export function elementOf(event: Event): Element | null {
  const element = (event as FocusEvent).relatedTarget ?? event.composedPath()[0];
  return element instanceof Element ? element : null;
}

export type Announcement =
  /** A `window.open` with the `attributionsrc` feature; `sources` are the feature's unparsed values. */
  | { readonly kind: 'open'; readonly url: string; readonly sources: readonly string[] }
  /** A `window.open` without it. */
  | { readonly kind: 'plain-open'; readonly url: string }
  /** A request of a document without an origin, whose mark proves nothing. */
  | { readonly kind: 'fetch'; readonly url: string; readonly eligibility: RequestEligibility };
