import type { SourceType } from '../../src/model/limits';
import type { ReportWindows } from '../../src/model/registration';
import { days, minutes, seconds, type Duration } from '../../src/model/units';
import { integer, readInteger, list, uint64, type Parser } from '../codec/codec';
import { object, type Fields } from '../codec/record';

/** ARA, "Min report window". */
export const MIN_REPORT_WINDOW = minutes(60);
const MAX_WINDOWS = 5;

const wholeNumber = integer(0);
const positiveNumber = integer(1);

const secondsCount: Parser<number> = (place) =>
  typeof place.value === 'string' ? Number(uint64(place)) : wholeNumber(place);

/** ARA, "parse a duration": whole seconds as number or string, clamped to the range. */
export const clampedSeconds =
  (min: Duration, max: Duration): Parser<Duration> =>
  (place) => {
    const count = place.attempt(secondsCount);
    if (count === null) return max;
    return clamp(count, min, max, (clamped) => place.warn('clamped', { seconds: clamped / 1000 }));
  };

function clamp(count: number, min: Duration, max: Duration, warn: (clamped: Duration) => void): Duration {
  const clamped = count * 1000 < min ? min : count * 1000 > max ? max : null;
  if (clamped === null) return seconds(count);
  warn(clamped);
  return clamped;
}

/** ARA, "obtain default effective windows", but as in Chromium and EVENT.md every end counts from the source's time. */
function defaultWindows(sourceType: SourceType, last: Duration): ReportWindows {
  const early = sourceType === 'navigation' ? [days(2), days(7)] : [];
  return { start: seconds(0), ends: [...early.filter((end) => end < last), last] };
}

/** ARA, "parse top-level report windows": `event_report_window`, `event_report_windows`, or the default. */
export function topLevelWindows(fields: Fields, sourceType: SourceType, expiry: Duration): ReportWindows {
  const windows = fields.optional<ReportWindows | null>('event_report_windows', reportWindows(expiry), null);
  const last = fields.optional<Duration>(
    'event_report_window',
    (place) => {
      if (windows !== null) place.error('field-beside', { other: 'event_report_windows' });
      return clampedSeconds(MIN_REPORT_WINDOW, expiry)(place);
    },
    expiry,
  );
  return windows ?? defaultWindows(sourceType, last);
}

/** ARA, "parse report windows": `start_time` and `end_times` in seconds after the source. */
export const reportWindows = (expiry: Duration): Parser<ReportWindows> =>
  object((fields) => {
    const start = fields.optional(
      'start_time',
      (at) => seconds(readInteger(at, 0, expiry / 1000)),
      seconds(0),
    );
    let previous = start;
    const end: Parser<Duration> = (at) => {
      const count = at.attempt(positiveNumber);
      if (count === null) return expiry;
      const clamped = clamp(count, MIN_REPORT_WINDOW, expiry, (to) =>
        at.warn('clamped', { seconds: to / 1000 }),
      );
      if (clamped <= previous) {
        at.error('window-order', { begin: previous / 1000, end: clamped / 1000 });
      }
      previous = clamped;
      return clamped;
    };
    const ends = fields.required('end_times', list(end, { min: 1, max: MAX_WINDOWS }), []);
    return { start, ends };
  });
