import type { JsonObject } from './json';
import type { Duration, Site } from './units';

/** Filter keys with their values (ARA, "filter map"). */
export type FilterMap = ReadonlyMap<string, readonly string[]>;

/** ARA, "filter config". */
export interface FilterConfig {
  readonly values: FilterMap;
  readonly lookbackWindow: Duration | null;
}

/** `filters` and `not_filters` of one object of a trigger registration. */
export interface FilterPair {
  readonly filters: readonly FilterConfig[];
  readonly notFilters: readonly FilterConfig[];
}

/** Consecutive report windows, as offsets from the source's time: [start, ends[0]), [ends[0], ends[1]), … */
export interface ReportWindows {
  readonly start: Duration;
  /** At least one, strictly increasing, each greater than `start`. */
  readonly ends: readonly Duration[];
}

/**
 * How conversions with certain trigger data turn into reports (flexible_event_config.md, "trigger_specs"). A source
 * without `trigger_specs` has one that counts and holds all its trigger data.
 */
export interface TriggerSpec {
  /** Unsigned 32-bit integers, distinct over all specs of a source. */
  readonly triggerData: readonly number[];
  readonly windows: ReportWindows;
  readonly summaryOperator: 'count' | 'value_sum';
  /** Where each summary bucket but the first begins, strictly increasing; crossing one makes a report. */
  readonly summaryBuckets: readonly number[];
}

/** ARA, "attribution scopes". */
export interface AttributionScopes {
  readonly limit: number;
  readonly values: readonly string[];
  readonly maxEventStates: number;
}

export type TriggerDataMatching = 'exact' | 'modulus';

/** An `Attribution-Reporting-Register-Source` header after validation, every default filled in. */
export interface SourceRegistration {
  /** One to three, sorted. */
  readonly destinations: readonly Site[];
  readonly sourceEventId: bigint;
  readonly expiry: Duration;
  readonly priority: bigint;
  readonly destinationLimitPriority: bigint;
  /** Without the implied key `source_type`. */
  readonly filterData: FilterMap;
  readonly debugKey: bigint | null;
  readonly debugReporting: boolean;
  readonly maxEventLevelReports: number;
  readonly triggerSpecs: readonly TriggerSpec[];
  /** Whether the header had `trigger_specs`: reports then carry a summary bucket and are worked out from sums. */
  readonly flexible: boolean;
  readonly triggerDataMatching: TriggerDataMatching;
  readonly eventLevelEpsilon: number;
  readonly attributionScopes: AttributionScopes | null;
  /** The fields of the aggregatable half, validated and kept, but not acted upon. */
  readonly aggregatable: JsonObject;
}

/** ARA, "event-level trigger configuration", with the `value` of flexible_event_config.md. */
export interface EventTriggerData extends FilterPair {
  readonly triggerData: bigint;
  readonly priority: bigint;
  readonly value: number;
  readonly deduplicationKey: bigint | null;
}

/** An `Attribution-Reporting-Register-Trigger` header after validation, every default filled in. */
export interface TriggerRegistration extends FilterPair {
  readonly eventTriggerData: readonly EventTriggerData[];
  readonly debugKey: bigint | null;
  readonly debugReporting: boolean;
  readonly attributionScopes: readonly string[];
  /** As for sources. */
  readonly aggregatable: JsonObject;
}
