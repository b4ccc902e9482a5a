import { isJsonObject, type Json } from '../../src/model/json';
import type { SourceType } from '../../src/model/limits';
import { probability, type Moment, type Probability } from '../../src/model/units';
import { MAX_UINT32 } from '../../src/model/registration';
import {
  as,
  choice,
  described,
  integer,
  list,
  number,
  uint64,
  uuid,
  codec,
  pair,
  type Codec,
} from '../codec/codec';
import { optional, record, required, type FieldsOf } from '../codec/record';
import { epochSeconds } from '../codec/time';
import { sites } from './sites';

/** The content of an event-level report (ARA, "obtain an event-level report body"). Null: not in the report. */
export interface EventLevelBody {
  /** Sites. */
  readonly destinations: readonly string[];
  /** Null for a mechanism that is not randomized response over all outputs. */
  readonly randomizedTriggerRate: Probability | null;
  readonly reportId: string;
  readonly scheduledTime: Moment;
  readonly sourceEventId: bigint;
  readonly sourceType: SourceType;
  readonly triggerData: bigint;
  /** First and last sum of the summary bucket, both included; for flexible sources. */
  readonly summaryBucket: readonly [number, number] | null;
  /** The output of a mechanism on numbers. */
  readonly noisyValue: number | null;
  readonly sourceDebugKey: bigint | null;
  readonly triggerDebugKey: bigint | null;
  /** The keys of all triggers that made the report of a flexible source. */
  readonly triggerDebugKeys: readonly bigint[] | null;
}

const bounds = pair(integer(0, MAX_UINT32));

const summaryBucket = codec(
  (place) => {
    const [first, last] = bounds(place);
    if (first > last) place.expected('bucket-bounds');
    return [first, last] as const;
  },
  bounds.write,
  bounds.schema,
);

export const sourceType: Codec<SourceType> = choice('navigation', 'event');

/** Outputs for values up to 1,000 reach it only at an ε near 10^−12. */
const MAX_NOISY_VALUE = Number.MAX_SAFE_INTEGER;

/** In the order of a body's fields. */
export const eventLevelFields = {
  destinations: required('attribution_destination', sites),
  randomizedTriggerRate: optional('randomized_trigger_rate', as(probability, number(0, 1))),
  reportId: required('report_id', described(uuid, 'Reports are stored once for each id and kind')),
  scheduledTime: required('scheduled_report_time', epochSeconds),
  sourceEventId: required('source_event_id', uint64),
  sourceType: required('source_type', sourceType),
  triggerData: required('trigger_data', uint64),
  summaryBucket: optional('trigger_summary_bucket', summaryBucket),
  noisyValue: optional(
    'noisy_value',
    described(number(-MAX_NOISY_VALUE, MAX_NOISY_VALUE), 'The output of a label-DP mechanism on values'),
  ),
  sourceDebugKey: optional('source_debug_key', uint64),
  triggerDebugKey: optional('trigger_debug_key', uint64),
  triggerDebugKeys: optional('trigger_debug_keys', list(uint64)),
} satisfies FieldsOf<EventLevelBody>;

/** The name of a field in a body. */
export type EventLevelField = Names[keyof EventLevelBody]['name'];

type Names = typeof eventLevelFields;

/** A value as JSON: times are seconds since 1970, and integers are decimal strings. */
type Written<Value> = Value extends Moment
  ? string
  : Value extends number
    ? number
    : Value extends bigint
      ? string
      : Value extends readonly bigint[]
        ? readonly string[]
        : // A site, or two or three in alphabetical order.
          Value extends readonly string[]
          ? string | readonly string[]
          : Value;

type IfNullable<Key extends keyof EventLevelBody, Yes, No> = null extends EventLevelBody[Key] ? Yes : No;

/** An event-level report as it is sent. */
export type EventLevelReportBody = {
  readonly [Key in keyof EventLevelBody as IfNullable<Key, never, Names[Key]['name']>]: Written<
    EventLevelBody[Key]
  >;
} & {
  readonly [Key in keyof EventLevelBody as IfNullable<Key, Names[Key]['name'], never>]?: Written<
    NonNullable<EventLevelBody[Key]>
  >;
};

/** The body of a report. Unknown fields are refused: nobody would read them. */
export const eventLevelReport: Codec<EventLevelBody> = record<EventLevelBody>(eventLevelFields, {
  either: ['randomized_trigger_rate', 'noisy_value'],
});

const debugKeys: readonly string[] = [
  eventLevelFields.sourceDebugKey,
  eventLevelFields.triggerDebugKey,
  eventLevelFields.triggerDebugKeys,
].map(({ name }) => name);

/** Empty if the body is not that of an event-level report. */
export const reportIdOf = (body: Json): string =>
  isJsonObject(body) && typeof body['report_id'] === 'string' ? body['report_id'] : '';

/** The body without debug keys. */
export const withoutDebugKeys = (body: Json): Json =>
  isJsonObject(body)
    ? Object.fromEntries(Object.entries(body).filter(([name]) => !debugKeys.includes(name)))
    : body;
