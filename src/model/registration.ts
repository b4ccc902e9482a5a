import type { JsonObject } from './json';
import { days, type Duration, type Epsilon, type Site } from './units';

/** ARA, "valid source expiry range". */
export const MAX_EXPIRY = days(30);

/** The largest trigger data of a source, and the largest value of a conversion. */
export const MAX_UINT32 = 2 ** 32 - 1;
/** That a source with `trigger_specs` keeps. What it can take is charged when it is registered, whatever comes of it. */
export const MAX_CONVERSIONS = 100;

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

/** Consecutive windows as offsets from the source's time: [start, ends[0]), [ends[0], ends[1]), … */
export interface ReportWindows {
  readonly start: Duration;
  /** At least one, strictly increasing, each greater than `start`. */
  readonly ends: readonly Duration[];
}

/**
 * How conversions with certain trigger data become reports (flexible_event_config.md, "trigger_specs"). Without `trigger_specs`,
 * one spec holds all trigger data.
 */
export interface TriggerSpec {
  /** Unsigned 32-bit integers, distinct over all specs of a source. */
  readonly triggerData: readonly number[];
  readonly windows: ReportWindows;
  readonly summaryOperator: 'count' | 'value_sum';
  /** Starts of all summary buckets but the first, strictly increasing. Crossing one makes a report. */
  readonly summaryBuckets: readonly number[];
}

/** ARA, "attribution scopes". */
export interface AttributionScopes {
  readonly limit: number;
  readonly values: readonly string[];
  readonly maxEventStates: number;
}

/** Whether other trigger data than the source lists are refused, or taken modulo their number. */
export type TriggerDataMatching = 'exact' | 'modulus';

/** A valid `Attribution-Reporting-Register-Source` header with all defaults filled in. */
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
  /** Whether the header had `trigger_specs`: reports then carry a summary bucket and come from sums. */
  readonly flexible: boolean;
  readonly triggerDataMatching: TriggerDataMatching;
  readonly eventLevelEpsilon: Epsilon;
  readonly attributionScopes: AttributionScopes | null;
  readonly aggregatable: AggregatableSource;
}

/** The fields of a source that concern aggregatable reports. */
export interface AggregatableSource {
  /** ARA, "aggregation keys": 128-bit key pieces by name. */
  readonly keys: ReadonlyMap<string, bigint>;
  /** ARA, "aggregatable report window", from the source's time. */
  readonly window: Duration;
  readonly namedBudgets: ReadonlyMap<string, number>;
  /** The field `aggregatable_debug_reporting` as received, if any. */
  readonly debugReporting: JsonObject;
  /** What it says. Missing without the field. */
  readonly debug?: DebugReporting;
}

/** ARA, "aggregatable debug reporting config". */
export interface DebugReporting {
  /** For a source: the part of its contribution budget that is reserved for debug reports. A trigger has none. */
  readonly budget: number;
  readonly keyPiece: bigint;
  /** By debug data type. */
  readonly data: ReadonlyMap<string, DebugContribution>;
  /** Null: the default coordinator. */
  readonly coordinatorOrigin: string | null;
}

/** What a debug data type contributes. */
export interface DebugContribution {
  readonly keyPiece: bigint;
  readonly value: number;
}

/** ARA, "event-level trigger configuration", with the `value` of flexible_event_config.md. */
export interface EventTriggerData extends FilterPair {
  readonly triggerData: bigint;
  readonly priority: bigint;
  readonly value: number;
  readonly deduplicationKey: bigint | null;
}

/** A valid `Attribution-Reporting-Register-Trigger` header with all defaults filled in. */
export interface TriggerRegistration extends FilterPair {
  readonly eventTriggerData: readonly EventTriggerData[];
  readonly debugKey: bigint | null;
  readonly debugReporting: boolean;
  readonly attributionScopes: readonly string[];
  readonly aggregatable: AggregatableTrigger;
}

/** ARA, "aggregatable trigger data": a key piece for some of the source's keys. */
export interface AggregatableTriggerData extends FilterPair {
  readonly keyPiece: bigint;
  readonly sourceKeys: readonly string[];
}

/** ARA, "aggregatable values configuration": what each of the source's keys gets, by its name. */
export interface AggregatableValues extends FilterPair {
  readonly values: ReadonlyMap<string, AggregatableKeyValue>;
}

/** ARA, "aggregatable key value". */
export interface AggregatableKeyValue {
  /** From 1 to 65,536. */
  readonly value: number;
  readonly filteringId: bigint;
}

/** ARA, "aggregatable dedup key". */
export interface AggregatableDeduplicationKey extends FilterPair {
  readonly deduplicationKey: bigint | null;
}

/** ARA, "named budget" of a trigger. */
export interface NamedBudget extends FilterPair {
  readonly name: string | null;
}

/** The fields of a trigger that concern aggregatable reports. */
export interface AggregatableTrigger {
  readonly triggerData: readonly AggregatableTriggerData[];
  readonly values: readonly AggregatableValues[];
  readonly deduplicationKeys: readonly AggregatableDeduplicationKey[];
  readonly namedBudgets: readonly NamedBudget[];
  /** Null: the default coordinator. */
  readonly coordinatorOrigin: string | null;
  readonly sourceRegistrationTime: 'exclude' | 'include';
  readonly contextId: string | null;
  /** From 1 to 8. */
  readonly filteringIdMaxBytes: number;
  /** As in `AggregatableSource`. */
  readonly debugReporting: JsonObject;
  readonly debug?: DebugReporting;
}

/** ARA, "default filtering ID max bytes". */
export const DEFAULT_FILTERING_ID_MAX_BYTES = 1;

/** What decides whether a trigger makes a report in any case. */
export type Unconditional = Pick<AggregatableTrigger, 'contextId' | 'filteringIdMaxBytes'>;

/** ARA, "check if an aggregatable attribution report should be unconditionally sent". */
export const isSentUnconditionally = ({ contextId, filteringIdMaxBytes }: Unconditional): boolean =>
  contextId !== null || filteringIdMaxBytes !== DEFAULT_FILTERING_ID_MAX_BYTES;

/** ARA, "check if an attribution trigger contains aggregatable data". */
export const hasAggregatableData = ({ triggerData, values }: AggregatableTrigger): boolean =>
  triggerData.length > 0 || values.some((configuration) => configuration.values.size > 0);
