import type { Json } from '../src/model/json';
import {
  Fields,
  integer,
  list,
  MAX_UINT32,
  number,
  oneOf,
  string,
  uint64,
  type Parser,
} from '../src/parsing/fields';
import { parse, type Parsed } from '../src/parsing/issues';
import { originOfUrl } from '../src/parsing/origin';

/** The fields of an event-level report that have a column of their own. */
export interface EventLevelReport {
  readonly reportId: string;
  readonly destinations: readonly string[];
  readonly sourceType: 'navigation' | 'event';
  readonly sourceEventId: bigint;
  readonly triggerData: bigint;
  /** Null for a mechanism that is not randomized response over all outputs. */
  readonly randomizedTriggerRate: number | null;
  readonly scheduledTime: Date;
  /** First and last sum of the value bucket, both included. */
  readonly summaryBucket: readonly [number, number] | null;
  /** What a label-DP mechanism on values gave. */
  readonly noisyValue: number | null;
}

/** One item of a verbose debug report. */
export interface VerboseItem {
  readonly type: string;
  readonly body: Json;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Checks ARA's "obtain an event-level report body", and what flexible sources and label-DP mechanisms add.
 * @param receivedTime what the report's times are compared with.
 */
export const parseEventLevelReport = (json: Json, receivedTime: Date): Parsed<EventLevelReport> =>
  parse(json, eventLevelReport(receivedTime));

/** Checks ARA's "serialize a verbose debug report". */
export const parseVerboseReport = (json: Json): Parsed<readonly VerboseItem[]> =>
  parse(json, list(verboseItem, { min: 1 }));

const eventLevelReport =
  (receivedTime: Date): Parser<EventLevelReport> =>
  (place) => {
    const fields = new Fields(place);
    const noisyValue = fields.optional('noisy_value', finite, null);
    // Debug keys have no column: the report is kept as it came.
    fields.optional('source_debug_key', uint64, null);
    fields.optional('trigger_debug_key', uint64, null);
    fields.optional('trigger_debug_keys', list(uint64), null);
    const report: EventLevelReport = {
      reportId: fields.required('report_id', uuid, ''),
      destinations: fields.required('attribution_destination', destinations, []),
      sourceType: fields.required('source_type', oneOf('navigation', 'event'), null) ?? 'navigation',
      sourceEventId: fields.required('source_event_id', uint64, 0n),
      triggerData: fields.required('trigger_data', uint64, 0n),
      randomizedTriggerRate:
        noisyValue === null
          ? fields.required('randomized_trigger_rate', number(0, 1), 0)
          : fields.optional<number | null>('randomized_trigger_rate', number(0, 1), null),
      scheduledTime: fields.required('scheduled_report_time', scheduledTime(receivedTime), new Date(0)),
      summaryBucket: fields.optional<readonly [number, number] | null>(
        'trigger_summary_bucket',
        summaryBucket,
        null,
      ),
      noisyValue,
    };
    // A store that anybody can write to takes nothing that nobody will read.
    fields.refuseUnknown();
    return report;
  };

const verboseItem: Parser<VerboseItem> = (place) => {
  const fields = new Fields(place);
  const item = {
    type: fields.required('type', nonEmpty, ''),
    body: fields.required<Json>('body', ({ value }) => value, null),
  };
  fields.refuseUnknown();
  return item;
};

const finite: Parser<number | null> = (place) => {
  if (typeof place.value === 'number' && Number.isFinite(place.value)) return place.value;
  place.expected('a finite number');
  return null;
};

const uuid: Parser<string> = (place) => {
  if (typeof place.value === 'string' && UUID.test(place.value)) return place.value;
  place.expected('a UUID in lower case');
  return '';
};

const destinations: Parser<readonly string[]> = (place) => {
  if (typeof place.value === 'string') return [site(place)];
  if (Array.isArray(place.value)) return list(site, { min: 2, max: 3 })(place);
  place.expected('a site such as "https://shop.example", or a list of two or three');
  return [];
};

const site: Parser<string> = (place) => {
  const { value } = place;
  // Not `siteOfUrl`: the browser may have had another list of public suffixes.
  if (typeof value === 'string' && originOfUrl(value) === value) return value;
  place.expected('a site with https, or with http on localhost, such as "https://shop.example"');
  return '';
};

/** Before there was Cointoss, and what a device with a reset clock says. */
const EARLIEST = Date.UTC(2020, 0);
/** Debug mode turns the clock forward, by days or weeks. */
const MAX_AHEAD_MILLISECONDS = 366 * 24 * 3_600_000;

const scheduledTime =
  (receivedTime: Date): Parser<Date> =>
  (place) => {
    const { value } = place;
    if (typeof value !== 'string' || !/^\d{1,12}$/.test(value)) {
      place.expected('a string with whole seconds since 1970');
      return receivedTime;
    }
    const time = new Date(Number(value) * 1000);
    if (time.getTime() < EARLIEST || time.getTime() > receivedTime.getTime() + MAX_AHEAD_MILLISECONDS)
      place.expected('a time from 2020 on and at most a year ahead');
    return time;
  };

const summaryBucket: Parser<readonly [number, number]> = (place) => {
  const [first = 0, last = 0] = list(integer(0, MAX_UINT32), { min: 2, max: 2 })(place);
  if (first > last) place.expected('a list of the first and the last sum of the bucket, in this order');
  return [first, last];
};

const nonEmpty: Parser<string> = (place) => {
  if (place.value === '') place.expected('a string that is not empty');
  return string()(place);
};
