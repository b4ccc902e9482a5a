import type { Json } from '../../src/model/json';
import { moment, type Moment } from '../../src/model/units';
import { atMost, codec, stringUpTo, type Codec, type Parser } from './codec';

export const ISO_TIME = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)$/;
/** As programs write it: perhaps a day only, with a space, or without its time zone. */
export const ISO_DATE_TIME = /^(\d{4}-\d\d-\d\d)([T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?$/;
/** The last millisecond whose ISO form has a four-digit year. */
export const LAST_MILLISECOND = 253_402_300_799_999;
/** As milliseconds, these numbers are in January to April 1970; as seconds, in 2001 to 2286. */
export const LIKE_SECONDS = [1e9, 1e10 - 1] as const;
const FALLBACK = moment(0);
const isoWritten = stringUpTo(40);

/** ISO 8601 with its time zone; without one, each device would read another moment. */
export const isoTime: Parser<Moment> = (place) => {
  const time = momentOf(isoWritten(place));
  if (time !== null) return time;
  if (typeof place.value === 'string') place.expected('time');
  return FALLBACK;
};

export function isoText(time: number): string {
  // oxlint-disable-next-line no-restricted-globals -- writes what is given, reads no clock
  return new Date(time).toISOString();
}

/** A number or decimal string; NaN for anything else. */
const countIn = (value: Json): number =>
  typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value)) ? Number(value) : NaN;

const isLikeSeconds = (count: number): boolean => count >= LIKE_SECONDS[0] && count <= LIKE_SECONDS[1];

/** What `time` reads; null for anything else. */
export function timeOf(value: Json): Moment | null {
  const count = countIn(value);
  if (isLikeSeconds(count)) return null;
  if (Number.isInteger(count) && count >= 0 && count <= LAST_MILLISECOND) return moment(count);
  return typeof value === 'string' ? momentOf(value) : null;
}

/**
 * Reads milliseconds since 1970, as a number or decimal string, or `isoTime`. It refuses numbers of 10 digits, which look like seconds.
 * Writes ISO 8601.
 */
export const time: Codec<Moment> = codec(
  (place) => {
    const found = timeOf(place.value);
    if (found !== null) return found;
    place.expected(isLikeSeconds(countIn(place.value)) ? 'not-seconds' : 'time-or-milliseconds');
    return FALLBACK;
  },
  isoText,
  {
    anyOf: [
      { type: 'string', pattern: `${ISO_TIME.source}|^0*(${atMost(String(LAST_MILLISECOND))})$` },
      { type: 'integer', minimum: 0, maximum: LAST_MILLISECOND },
    ],
    description: 'ISO 8601 with a zone, or milliseconds since 1970',
  },
);

const SECONDS = /^\d{1,12}$/;

/** Written without the fraction of a second. */
export const epochSeconds: Codec<Moment> = codec(
  (place) => {
    if (typeof place.value === 'string' && SECONDS.test(place.value))
      return moment(Number(place.value) * 1000);
    place.expected('epoch-seconds');
    return FALLBACK;
  },
  (time) => String(Math.floor(time / 1000)),
  { type: 'string', pattern: SECONDS.source, description: 'Seconds since 1970' },
);

/** How long the text is that `isoText` writes of a year with four digits. */
const WRITTEN = 24;

/** As `isoText` writes, on a day that every month has: to write it again and compare would take most of the time. */
const USUAL = /^\d{4}-\d\d-(?:[01]\d|2[0-8])T\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Null if it is no `ISO_TIME`, or no such day exists. */
export function momentOf(text: string): Moment | null {
  const written = text.length === WRITTEN ? parseTime(text) : NaN;
  if (Number.isInteger(written) && (USUAL.test(text) || isoText(written) === text)) return moment(written);
  const [, day, clock, zone] = ISO_TIME.exec(text) ?? [];
  // Some engines read 31 June as 1 July.
  if (day === undefined || clock === undefined || zone === undefined || !dayExists(day)) return null;
  const parsed = parseTime(`${day}${clock}${zone.replace(/^(...)(\d\d)$/, '$1:$2')}`);
  // A year may have four digits only in another time zone, and UTC could not write it.
  return Number.isInteger(parsed) && ISO_TIME.test(isoText(parsed)) ? moment(parsed) : null;
}

const dayExists = (day: string): boolean => dayOf(parseTime(`${day}T00:00:00Z`)) === day;

// oxlint-disable-next-line no-restricted-globals -- reads a text, not a clock
const parseTime = (text: string): number => Date.parse(text);

const dayOf = (time: number): string => (Number.isFinite(time) ? isoText(time).slice(0, 10) : '');
