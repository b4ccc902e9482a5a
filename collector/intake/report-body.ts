import type { Json } from '../../src/model/json';
import type { Moment } from '../../src/model/units';
import { parse, type Parsed, type Place } from '../../formats/codec/issues';
import { aggregatableReport, type SharedInfo } from '../../formats/reports/aggregatable-report';
import { eventLevelReport, type EventLevelBody } from '../../formats/reports/event-level-report';
import { isRecent } from '../sources/recent';

/**
 * Checks the body of an event-level report, and that its times are plausible.
 * @param now null: any future time is plausible.
 */
export const parseEventLevelReport = (json: Json, now: Date | null): Parsed<EventLevelBody> =>
  parse(json, (place) => {
    const report = eventLevelReport(place);
    expectRecent(report.scheduledTime, now, place);
    return report;
  });

/**
 * Checks the body of an aggregatable report, whose payload only the aggregation service can read.
 * @param now as in `parseEventLevelReport`.
 * @param reportingOrigin the origin to which the report was sent.
 * @returns its shared info.
 */
export const parseAggregatableReport = (
  json: Json,
  now: Date | null,
  reportingOrigin: string,
): Parsed<SharedInfo> =>
  parse(json, (place) => {
    const { info } = aggregatableReport(place).sharedInfo;
    const inside = place.at('shared_info', null);
    expectRecent(info.scheduledTime, now, inside);
    // Otherwise another origin would get its batch.
    if (info.reportingOrigin !== reportingOrigin)
      inside.at('reporting_origin', info.reportingOrigin).expected('one-of', { values: reportingOrigin });
    return info;
  });

function expectRecent(time: Moment, now: Date | null, place: Place): void {
  if (!isRecent(time, now)) place.at('scheduled_report_time', String(time / 1000)).expected('recent-time');
}
