import type { Json } from '../src/model/recording-rule';
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
} from '../src/registration/fields';
import { parse, type Parsed } from '../src/registration/issues';

/** The fields of an event-level report that have a column of their own. */
export interface EventLevelReport {
  readonly reportId: string;
  readonly destinations: readonly string[];
  readonly sourceType: 'navigation' | 'event';
  readonly sourceEventId: bigint;
  readonly triggerData: bigint;
  readonly randomizedTriggerRate: number;
  readonly scheduledTime: Date;
  /** First and last sum of the value bucket, both included. */
  readonly summaryBucket: readonly [number, number] | null;
}

/** One item of a verbose debug report. */
export interface VerboseItem {
  readonly type: string;
  readonly body: Json;
}

/** 9999-12-31T23:59:59Z, the last moment whose ISO form has a year of four digits. */
const LAST_SECOND = 253_402_300_799n;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Checks ARA's "obtain an event-level report body", and what flexible sources add. Unknown fields may be there. */
export const parseEventLevelReport = (json: Json): Parsed<EventLevelReport> => parse(json, eventLevelReport);

/** Checks ARA's "serialize a verbose debug report". */
export const parseVerboseReport = (json: Json): Parsed<readonly VerboseItem[]> =>
  parse(json, list(verboseItem, { min: 1 }));

const eventLevelReport: Parser<EventLevelReport> = (place) => {
  const fields = new Fields(place);
  const required = <T>(name: string, parser: Parser<T>, fallback: T): T => {
    if (!fields.has(name)) place.at(name, null).error('is missing');
    return fields.optional(name, parser, fallback);
  };
  // Debug keys have no column: the report is kept as it came.
  fields.optional('source_debug_key', uint64, null);
  fields.optional('trigger_debug_key', uint64, null);
  fields.optional('trigger_debug_keys', list(uint64), null);
  return {
    reportId: required('report_id', uuid, ''),
    destinations: required('attribution_destination', destinations, []),
    sourceType: required('source_type', oneOf('navigation', 'event'), null) ?? 'navigation',
    sourceEventId: required('source_event_id', uint64, 0n),
    triggerData: required('trigger_data', uint64, 0n),
    randomizedTriggerRate: required('randomized_trigger_rate', number(0, 1), 0),
    scheduledTime: required('scheduled_report_time', secondsSinceEpoch, new Date(0)),
    summaryBucket: fields.optional<readonly [number, number] | null>(
      'trigger_summary_bucket',
      summaryBucket,
      null,
    ),
  };
};

const verboseItem: Parser<VerboseItem> = (place) => {
  const fields = new Fields(place);
  return {
    type: fields.required('type', nonEmpty, ''),
    body: fields.required<Json>('body', ({ value }) => value, null),
  };
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
  if (typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value) return value;
  place.expected('a site such as "https://shop.example"');
  return '';
};

const secondsSinceEpoch: Parser<Date> = (place) => {
  const { value } = place;
  if (typeof value === 'string' && /^\d+$/.test(value) && BigInt(value) <= LAST_SECOND) {
    return new Date(Number(value) * 1000);
  }
  place.expected('a string with whole seconds since 1970, before the year 10000');
  return new Date(0);
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
