import type { IgnoredReason } from '../formats/codec/mistakes';
import type { Origin } from '../src/model/units';

/** What may still be unknown when something asks to register. None of these registers anything, and each has race tests. */
export type Unknown =
  /** The browser has not reported the document, or one around it. */
  | 'document'
  /** The response that became a document was not seen, so its header is missing. */
  | 'response'
  /** The document around a frame has not said which `allow` attribute the frame has. */
  | 'frame-attribute'
  /** A worker has documents on pages of several origins, or none. */
  | 'worker';

/** A top-level page on which registrations count, according to the browser. Only this kind of place has a `contextOrigin`. */
interface KnownPlace {
  readonly kind: 'known';
  readonly contextOrigin: Origin;
}

/** A place where nothing registers. The log names `seenOn`: the origin of the page, or of the requester if the page is unknown. */
export type BarredPlace =
  | { readonly kind: 'unknown'; readonly unknown: Unknown; readonly seenOn: Origin }
  /** By a Permissions Policy. */
  | { readonly kind: 'forbidden'; readonly seenOn: Origin }
  /** Loaded over http. `seenOn` may register nothing. */
  | { readonly kind: 'insecure'; readonly seenOn: Origin }
  /** The browser prepared the page, and nobody opened it. */
  | { readonly kind: 'not-shown'; readonly seenOn: Origin };

/** Where a document or worker did something. */
export type PagePlace = KnownPlace | BarredPlace;

/** Where something happened. A redirect of a navigation belongs to no page. */
export type Place = PagePlace | { readonly kind: 'redirect' };

const codes = {
  unknown: 'page-unknown',
  forbidden: 'permissions-policy',
  insecure: 'page-not-secure',
  'not-shown': 'not-shown',
} as const satisfies Record<BarredPlace['kind'], IgnoredReason['code']>;

/** Why nothing registers at this place, for the log. */
export const whyBarred = ({ kind }: BarredPlace): IgnoredReason => ({ code: codes[kind], values: {} });

/** The origin under which the log and the queues file the event; null if it was on no page. */
export function originOfPlace<Of extends Place>(
  place: Of,
): Origin | (Of extends { readonly kind: 'redirect' } ? null : never);
export function originOfPlace(place: Place): Origin | null {
  if (place.kind === 'redirect') return null;
  return place.kind === 'known' ? place.contextOrigin : place.seenOn;
}
