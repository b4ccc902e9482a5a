import { isJsonObject, type Json } from '../../src/model/json';
import { parse } from '../../formats/codec/issues';
import { aggregatableReport } from '../../formats/reports/aggregatable-report';
import { verboseReport } from '../../formats/reports/debug-report';
import { eventLevelReport, type EventLevelReportBody } from '../../formats/reports/event-level-report';

export type { EventLevelReportBody };

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
