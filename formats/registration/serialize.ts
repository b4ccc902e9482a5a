import type { Json, JsonObject } from '../../src/model/json';
import type {
  EventTriggerData,
  ReportWindows,
  SourceRegistration,
  TriggerRegistration,
  TriggerSpec,
} from '../../src/model/registration';
import { serializeAggregatableSource, serializeAggregatableTrigger } from './serialize-aggregatable';
import { inSeconds, serializeFilterPair } from './serialize-filters';

/* Registrations as JSON with all defaults explicit; parsing it gives the same registration. */

export function serializeSource(registration: SourceRegistration): Json {
  const { attributionScopes: scopes, debugKey } = registration;
  return {
    ...serializeAggregatableSource(registration.aggregatable, registration.expiry),
    destination: registration.destinations,
    source_event_id: String(registration.sourceEventId),
    expiry: inSeconds(registration.expiry),
    priority: String(registration.priority),
    destination_limit_priority: String(registration.destinationLimitPriority),
    filter_data: Object.fromEntries(registration.filterData),
    debug_reporting: registration.debugReporting,
    ...serializeOutputs(registration),
    trigger_data_matching: registration.triggerDataMatching,
    event_level_epsilon: registration.eventLevelEpsilon,
    ...(debugKey === null ? {} : { debug_key: String(debugKey) }),
    ...(scopes === null
      ? {}
      : {
          attribution_scopes: {
            limit: scopes.limit,
            values: scopes.values,
            max_event_states: scopes.maxEventStates,
          },
        }),
  };
}

/** The fields that decide which outputs a source can have. */
export const serializeOutputs = ({
  maxEventLevelReports,
  triggerSpecs,
  flexible,
}: Pick<SourceRegistration, 'maxEventLevelReports' | 'triggerSpecs' | 'flexible'>): JsonObject => ({
  max_event_level_reports: maxEventLevelReports,
  ...(flexible ? { trigger_specs: triggerSpecs.map(serializeSpec) } : simpleSpec(triggerSpecs)),
});

export function serializeTrigger(registration: TriggerRegistration): Json {
  const { debugKey } = registration;
  return {
    ...serializeAggregatableTrigger(registration.aggregatable),
    ...serializeFilterPair(registration),
    event_trigger_data: registration.eventTriggerData.map(serializeEventTriggerData),
    debug_reporting: registration.debugReporting,
    attribution_scopes: registration.attributionScopes,
    ...(debugKey === null ? {} : { debug_key: String(debugKey) }),
  };
}

/** A source without `trigger_specs` has one spec, whose windows and trigger data are top-level fields. */
function simpleSpec([spec]: readonly TriggerSpec[]): JsonObject {
  if (spec === undefined) return {};
  return { trigger_data: spec.triggerData, event_report_windows: serializeWindows(spec.windows) };
}

const serializeSpec = ({ triggerData, windows, summaryOperator, summaryBuckets }: TriggerSpec): Json => ({
  trigger_data: triggerData,
  event_report_windows: serializeWindows(windows),
  summary_operator: summaryOperator,
  // Only the default can express that there is no bucket, because there are no reports.
  ...(summaryBuckets.length === 0 ? {} : { summary_buckets: summaryBuckets }),
});

const serializeWindows = ({ start, ends }: ReportWindows): JsonObject => ({
  start_time: inSeconds(start),
  end_times: ends.map(inSeconds),
});

const serializeEventTriggerData = (data: EventTriggerData): Json => ({
  trigger_data: String(data.triggerData),
  priority: String(data.priority),
  value: data.value,
  ...(data.deduplicationKey === null ? {} : { deduplication_key: String(data.deduplicationKey) }),
  ...serializeFilterPair(data),
});
