import type { Moment } from '../model/units';
import { ISO_TIME, isoText, LAST_MILLISECOND, time as parse } from '../parsing/time';
import { atMost, type Codec } from './codec';

/** Read as milliseconds or ISO 8601, written as ISO 8601. */
export const time: Codec<Moment> = {
  parse,
  write: isoText,
  schema: {
    anyOf: [
      { type: 'string', pattern: `${ISO_TIME.source}|^0*(${atMost(String(LAST_MILLISECOND))})$` },
      { type: 'integer', minimum: 0, maximum: LAST_MILLISECOND },
    ],
    description: 'ISO 8601 with a zone, or milliseconds since 1970',
  },
};
