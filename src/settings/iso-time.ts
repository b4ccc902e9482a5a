import { moment, type Moment } from '../model/units';
import { string, type Parser } from '../parsing/fields';

const FORM = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;
const FALLBACK = moment(0);

/** A moment as ISO 8601 with its time zone, without which it would be another one on each device. */
export const isoTime: Parser<Moment> = (place) => {
  const text = string(40)(place);
  const day = FORM.exec(text)?.[1];
  // Some engines carry a 31st of June over into July.
  if (day !== undefined && dayExists(day)) {
    const time = parseTime(text);
    // In another time zone the year can be one that has no four digits in UTC, and so could not be written.
    if (Number.isInteger(time) && FORM.test(writeTime(time))) return moment(time);
  }
  if (typeof place.value === 'string') place.expected('a time such as 2027-03-31T18:00:00Z');
  return FALLBACK;
};

const dayExists = (day: string): boolean => dayOf(parseTime(`${day}T00:00:00Z`)) === day;

// eslint-disable-next-line no-restricted-globals -- reads a text, not a clock
const parseTime = (text: string): number => Date.parse(text);

const dayOf = (time: number): string => (Number.isFinite(time) ? writeTime(time).slice(0, 10) : '');

/** What `isoTime` reads as `time`. */
export const isoText = (time: Moment): string => writeTime(time);

// eslint-disable-next-line no-restricted-globals -- writes what is given, reads no clock
const writeTime = (time: number): string => new Date(time).toISOString();
