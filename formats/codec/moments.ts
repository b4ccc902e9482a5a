import { moment, type Moment } from '../../src/model/units';
import { ISO_TIME, isoText, LAST_MILLISECOND, time as parse } from './time';
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

const SECONDS = /^\d{1,12}$/;

/** Written without the fraction of a second. */
export const epochSeconds: Codec<Moment> = {
  parse: (place) => {
    if (typeof place.value === 'string' && SECONDS.test(place.value))
      return moment(Number(place.value) * 1000);
    place.expected('epoch-seconds');
    return moment(0);
  },
  write: (time) => String(Math.floor(time / 1000)),
  schema: { type: 'string', pattern: SECONDS.source, description: 'Seconds since 1970' },
};
