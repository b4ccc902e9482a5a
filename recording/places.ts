import type { IgnoredReason } from '../src/model/mistakes';
import type { BarredPlace, Place } from '../src/model/requests';
import type { Origin } from '../src/model/units';

const codes = {
  unknown: 'page-unknown',
  forbidden: 'permissions-policy',
  'not-shown': 'not-shown',
} as const satisfies Record<BarredPlace['kind'], IgnoredReason['code']>;

/** Why nothing registers there, for the log. */
export const whyBarred = ({ kind }: BarredPlace): IgnoredReason => ({ code: codes[kind], values: {} });

/** The origin under which the log and the queues keep what happened there; null if it was on no page. */
export function originOfPlace<Of extends Place>(
  place: Of,
): Origin | (Of extends { readonly kind: 'redirect' } ? null : never);
export function originOfPlace(place: Place): Origin | null {
  if (place.kind === 'redirect') return null;
  return place.kind === 'known' ? place.contextOrigin : place.seenOn;
}
