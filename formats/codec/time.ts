import { moment, type Moment } from '../../src/model/units';
import { string, type Parser } from './fields';

export const ISO_TIME = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)$/;
/** The last millisecond whose ISO form has a four-digit year. */
export const LAST_MILLISECOND = 253_402_300_799_999;
/** As milliseconds these are of January to April 1970, as seconds of 2001 to 2286. */
const [FIRST_LIKE_SECONDS, LAST_LIKE_SECONDS] = [1e9, 1e10 - 1];
const FALLBACK = moment(0);

/** ISO 8601 with its time zone, without which each device would read another moment. */
export const isoTime: Parser<Moment> = (place) => {
  const time = momentOf(string(40)(place));
  if (time !== null) return time;
  if (typeof place.value === 'string') place.expected('time');
  return FALLBACK;
};

/** As `isoTime`, or milliseconds since 1970 as a number or decimal string, but not with the 10 digits that times in seconds have. */
export const time: Parser<Moment> = (place) => {
  const { value } = place;
  const isMilliseconds = typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));
  const count = isMilliseconds ? Number(value) : NaN;
  if (count >= FIRST_LIKE_SECONDS && count <= LAST_LIKE_SECONDS) {
    place.expected('not-seconds');
    return FALLBACK;
  }
  if (Number.isInteger(count) && count >= 0 && count <= LAST_MILLISECOND) return moment(count);
  const found = typeof value === 'string' ? momentOf(value) : null;
  if (found !== null) return found;
  place.expected('time-or-milliseconds');
  return FALLBACK;
};

function momentOf(text: string): Moment | null {
  const [, day, clock, zone] = ISO_TIME.exec(text) ?? [];
  // Some engines read 31 June as 1 July.
  if (day === undefined || clock === undefined || zone === undefined || !dayExists(day)) return null;
  const parsed = parseTime(`${day}${clock}${zone.replace(/^(...)(\d\d)$/, '$1:$2')}`);
  // In another time zone the year may have four digits only there, so that UTC could not write it.
  return Number.isInteger(parsed) && ISO_TIME.test(writeTime(parsed)) ? moment(parsed) : null;
}

const dayExists = (day: string): boolean => dayOf(parseTime(`${day}T00:00:00Z`)) === day;

// oxlint-disable-next-line no-restricted-globals -- reads a text, not a clock
const parseTime = (text: string): number => Date.parse(text);

const dayOf = (time: number): string => (Number.isFinite(time) ? writeTime(time).slice(0, 10) : '');

export const isoText = (time: Moment): string => writeTime(time);

// oxlint-disable-next-line no-restricted-globals -- writes what is given, reads no clock
const writeTime = (time: number): string => new Date(time).toISOString();
