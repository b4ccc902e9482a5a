import type { Json } from '../src/model/json';
import { parse, type Parsed } from '../src/parsing/issues';
import { eventLevelReport, type EventLevelBody } from '../src/wire/event-level-report';

/** Cointoss did not exist before; a device with a reset clock sends earlier times. */
const EARLIEST = Date.UTC(2020, 0);
/** Debug mode turns the clock forward by days or weeks. */
const MAX_AHEAD_MILLISECONDS = 366 * 24 * 3_600_000;

/**
 * Checks the body of an event-level report, and that its times are plausible.
 * @param receivedTime is compared with the report's times.
 */
export const parseEventLevelReport = (json: Json, receivedTime: Date): Parsed<EventLevelBody> =>
  parse(json, (place) => {
    const report = eventLevelReport.parse(place);
    const { scheduledTime: time } = report;
    if (time < EARLIEST || time > receivedTime.getTime() + MAX_AHEAD_MILLISECONDS)
      place.at('scheduled_report_time', String(time / 1000)).expected('recent-time');
    return report;
  });
