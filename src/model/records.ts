import type { FilterMap, SourceRegistration, AttributionScopes } from './registration';
import type { LabelNoise } from './mechanisms';
import type { Json } from './json';
import type { SourceType } from './limits';
import type { Moment, Origin, Site } from './units';

/** A number that the store hands out, each greater than all before (ARA, "internal ID"). */
export type InternalId = number;

/** What randomizes, or randomized, the output of a source. */
export type SourceNoise =
  /** Randomized response was drawn when the source was registered, and let the truth pass. */
  | { readonly kind: 'truthful' }
  /** The output is this state, whatever happens. `reports` of it were stored at once. */
  | { readonly kind: 'replaced'; readonly state: bigint; readonly reports: number }
  /** To be drawn from the truth when the report window closes; until then its reports are held back. */
  | { readonly kind: 'undrawn'; readonly mechanism: LabelNoise['kind'] }
  /** Was drawn: the true state, and what came out. */
  | {
      readonly kind: 'drawn';
      readonly mechanism: LabelNoise['kind'];
      readonly truth: bigint;
      readonly output: LabelOutput;
    }
  /** Debug mode had noise switched off. */
  | { readonly kind: 'off' };

/** What a mechanism that looks at the truth gives out: a state of the source, or a number. */
export type LabelOutput =
  { readonly kind: 'state'; readonly state: bigint } | { readonly kind: 'value'; readonly value: number };

/** A source whose output is still to be drawn, with all that is needed for it: the source itself may be gone by then. */
export interface UndrawnOutput {
  /** The source's. */
  readonly id: InternalId;
  readonly closesAt: Moment;
  readonly source: Source;
  readonly noise: Exclude<LabelNoise, { readonly kind: 'rr' }>;
}

/** A conversion that was attributed to a flexible source, kept because pending reports are worked out anew from all. */
export interface AttributedConversion {
  readonly triggerId: InternalId;
  readonly triggerData: number;
  /** What is left of its value; final reports have consumed the rest. */
  readonly value: number;
  readonly priority: bigint;
  readonly time: Moment;
  readonly debugKey: bigint | null;
  readonly destination: Site;
}

/** A report of a flexible source, and how much of which conversions' values made it. */
export interface FlexibleReport {
  readonly reportId: InternalId;
  readonly reportTime: Moment;
  readonly triggerData: number;
  readonly bucket: number;
  readonly contributions: readonly { readonly triggerId: InternalId; readonly value: number }[];
}

/** What a flexible source keeps between conversions; see attribution/flexible.ts. */
export interface FlexibleState {
  readonly conversions: readonly AttributedConversion[];
  /** Reports that may still be worked out anew. */
  readonly pending: readonly FlexibleReport[];
  /** By trigger data: how many buckets the final reports have crossed. */
  readonly finalBuckets: ReadonlyMap<number, number>;
}

/** ARA, "attribution source". */
export interface Source {
  readonly id: InternalId;
  readonly sourceType: SourceType;
  readonly sourceOrigin: Origin;
  readonly sourceSite: Site;
  readonly reportingOrigin: Origin;
  readonly time: Moment;
  readonly expiryTime: Moment;
  readonly registration: SourceRegistration;
  /** With the implied `source_type`. */
  readonly filterData: FilterMap;
  /** As registered, or null once a later source without scopes cleared them. */
  readonly attributionScopes: AttributionScopes | null;
  /** Whether the reporting origin may get debug reports about this source. */
  readonly debugAllowed: boolean;
  readonly fenced: boolean;
  readonly states: bigint;
  /** Null for the unbiased randomizer, which has no such rate. */
  readonly randomizedTriggerRate: number | null;
  readonly noise: SourceNoise;
  /** ARA, "event-level attributable". */
  readonly attributable: boolean;
  /** ARA, "number of event-level reports". */
  readonly reportCount: number;
  readonly deduplicationKeys: readonly bigint[];
  /** Null unless the registration has `trigger_specs`. */
  readonly flexible: FlexibleState | null;
}

export type ReportKind = 'event-level' | 'event-level-debug' | 'verbose-debug';

/** One try to send a report. */
interface Attempt {
  readonly time: Moment;
  readonly outcome: DeliveryOutcome;
}

export type DeliveryOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The URL that the report was sent to, which with a collector is not the report's own. */
      readonly to?: string;
    }
  | { readonly kind: 'unreachable'; readonly error: string };

/** ARA, "attribution report": a report that waits to be sent. */
export interface Report {
  readonly id: InternalId;
  readonly kind: ReportKind;
  readonly reportingOrigin: Origin;
  /** Of the source that it is about, which may be gone; missing where there is none, and in rows of older versions. */
  readonly sourceSite?: Site;
  readonly url: string;
  readonly body: Json;
  /** When it is due by its window; what `scheduled_report_time` says. */
  readonly reportTime: Moment;
  /** When it is next tried; differs from `reportTime` after a failure, or with the delay off. */
  readonly nextAttempt: Moment;
  readonly attempts: readonly Attempt[];
  readonly event: EventLevelReport | null;
}

/** What the engine must know of an event-level report while it is pending (ARA, "event-level report"). */
interface EventLevelReport {
  readonly sourceId: InternalId;
  readonly destinations: readonly Site[];
  readonly triggerData: number;
  readonly triggerTime: Moment;
  readonly triggerPriority: bigint;
  /** Which bucket of the trigger data's spec was crossed; null when the source is not flexible. */
  readonly bucket: number | null;
  readonly fake: boolean;
  /** Whether it is the truth of a source whose output is still to be drawn, so that it must not leave. */
  readonly held: boolean;
}

/** A report that is gone: delivered, given up, replaced, erased with what it was about, or the truth that noise took the place of. */
export interface FinishedReport {
  readonly id: InternalId;
  readonly report: Report;
  readonly time: Moment;
  readonly end: 'delivered' | 'given-up' | 'aged-out' | 'replaced' | 'source-removed' | 'randomized';
}

/** ARA, "attribution rate-limit record". */
export interface RateLimitRecord {
  readonly id: InternalId;
  readonly scope: 'source' | 'event-attribution';
  readonly sourceSite: Site;
  readonly destination: Site;
  readonly reportingOrigin: Origin;
  readonly reportingSite: Site;
  readonly time: Moment;
  readonly expiryTime: Moment | null;
  /** The source or report that it counts; null for fake reports. */
  readonly entityId: InternalId | null;
  readonly deactivatedForDestinationLimit: boolean;
  readonly destinationLimitPriority: bigint;
}
