import { moment, type Moment } from '../../src/model/units';
import type { Parser } from '../../formats/codec/codec';

/** Milliseconds since 1970 as text, as scenario files have them. */
export const timestamp: Parser<Moment> = (place) => {
  if (typeof place.value === 'string' && /^\d{1,15}$/.test(place.value)) return moment(Number(place.value));
  place.expected('epoch-milliseconds');
  return moment(0);
};
