import { isJsonObject, type Json } from '../../src/model/json';
import { parse } from '../../formats/codec/issues';
import { aggregatableReport } from '../../formats/reports/aggregatable-report';
import { verboseReport } from '../../formats/reports/debug-report';
import { eventLevelReport } from '../../formats/reports/event-level-report';

/** An event-level report as it is sent. 64-bit integers are decimal strings. */
export interface EventLevelReportBody {
  /** A site, or two or three in alphabetical order. */
  readonly attribution_destination: string | readonly string[];
  /** The probability that the output was replaced by noise. Missing for mechanisms without one. */
  readonly randomized_trigger_rate?: number;
  /** A UUID. */
  readonly report_id: string;
  /** Seconds since 1970: the end of the report window. */
  readonly scheduled_report_time: string;
  readonly source_event_id: string;
  readonly source_type: 'navigation' | 'event';
  readonly trigger_data: string;
  /** First and last sum of the bucket, for sources with `trigger_specs`. */
  readonly trigger_summary_bucket?: readonly [number, number];
  /** The output of a mechanism on values. */
  readonly noisy_value?: number;
  readonly source_debug_key?: string;
  readonly trigger_debug_key?: string;
  readonly trigger_debug_keys?: readonly string[];
}

/** An aggregatable report as it is sent. Only the aggregation service can read its contributions. */
export interface AggregatableReportBody {
  readonly aggregation_coordinator_origin: string;
  readonly aggregation_service_payloads: readonly [
    { readonly key_id: string; readonly payload: string; readonly debug_cleartext_payload?: string },
  ];
  /** JSON text. */
  readonly shared_info: string;
  readonly source_debug_key?: string;
  readonly trigger_context_id?: string;
  readonly trigger_debug_key?: string;
}

/** A verbose debug report as it is sent. The type says what each body holds. */
export type DebugReportBody = readonly { readonly type: string; readonly body: Json }[];

export const isEventLevelBody = (json: Json): json is Json & EventLevelReportBody =>
  isJsonObject(json) && parse(json, eventLevelReport).value !== null;

export const isAggregatableBody = (json: Json): json is Json & AggregatableReportBody =>
  isJsonObject(json) && parse(json, aggregatableReport).value !== null;

export const isDebugBody = (json: Json): json is Json & DebugReportBody =>
  parse(json, verboseReport).value !== null;
