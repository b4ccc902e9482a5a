import type { Epsilon, Moment, Origin, Site } from './units';
import type { ConsideredSource } from './considered-source';
import type { Check } from './checks';
import type { BudgetRefusal, DebugCondition } from './facts';
import type { Json } from './json';
import type { IgnoredReason, Issue } from '../../formats/codec/mistakes';
import type { InternalId, SourceNoise } from './records';
import type { SourceType } from './limits';

/** Why a source was not stored, with the limit if any (ARA, "source debug data type"). */
export type SourceRejection =
  | { readonly reason: 'source-channel-capacity-limit'; readonly limit: number }
  | { readonly reason: 'source-destination-global-rate-limit' }
  | { readonly reason: 'source-destination-limit'; readonly limit: number }
  | { readonly reason: 'source-destination-per-day-rate-limit'; readonly limit: number }
  | { readonly reason: 'source-destination-rate-limit'; readonly limit: number }
  | { readonly reason: 'source-max-event-states-limit'; readonly limit: number }
  | { readonly reason: 'source-reporting-origin-limit' }
  | { readonly reason: 'source-reporting-origin-per-site-limit'; readonly limit: number }
  | { readonly reason: 'source-scopes-channel-capacity-limit'; readonly limit: number }
  | { readonly reason: 'source-storage-limit'; readonly limit: number }
  | { readonly reason: 'source-trigger-state-cardinality-limit'; readonly limit: bigint };

/** What became of a source. */
export type SourceDecision =
  | {
      readonly kind: 'stored';
      readonly sourceId: InternalId;
      readonly noise: SourceNoise;
      /** Not in ARA: why no conversion counts for it. It answers like a source without conversions. */
      readonly overBudget?: BudgetRefusal;
    }
  | ({ readonly kind: 'rejected' } & SourceRejection);

/** Why a trigger made no report (ARA, "trigger debug data type"). */
export type TriggerDrop =
  | { readonly reason: 'no-event-trigger-data' }
  | { readonly reason: 'trigger-no-matching-source' }
  | { readonly reason: 'trigger-no-matching-filter-data' }
  | { readonly reason: 'trigger-event-noise' }
  | { readonly reason: 'trigger-event-no-matching-configurations' }
  | { readonly reason: 'trigger-event-deduplicated' }
  | { readonly reason: 'trigger-event-no-matching-trigger-data' }
  | { readonly reason: 'trigger-event-report-window-not-started' }
  | { readonly reason: 'trigger-event-report-window-passed' }
  /** `report`: the body of the report that it would have made. */
  | { readonly reason: 'trigger-event-excessive-reports'; readonly report: Json }
  | { readonly reason: 'trigger-event-low-priority'; readonly report: Json }
  | { readonly reason: 'trigger-event-attributions-per-source-destination-limit'; readonly limit: number }
  | { readonly reason: 'trigger-reporting-origin-limit'; readonly limit: number }
  | { readonly reason: 'trigger-event-storage-limit'; readonly limit: number }
  /** Not in ARA: the source is over its privacy budget, so no conversion counts for it. */
  | { readonly reason: 'trigger-source-over-budget' }
  /** Not in ARA: no candidate can afford the attribution. */
  | { readonly reason: 'trigger-privacy-budget' }
  /** Not in ARA: a plan over all conversions credits none of this one's candidates. */
  | { readonly reason: 'trigger-not-credited' }
  /** Not in ARA: the value was split, and the source's share rounds to 0. */
  | { readonly reason: 'trigger-event-no-share' };

/** Why a trigger made no aggregatable report at a source (ARA, "trigger debug data type"). */
export type AggregatableDrop =
  | { readonly reason: 'trigger-aggregate-report-window-passed' }
  | { readonly reason: 'trigger-aggregate-deduplicated' }
  | { readonly reason: 'trigger-aggregate-no-contributions' }
  | { readonly reason: 'trigger-aggregate-storage-limit'; readonly limit: number }
  | { readonly reason: 'trigger-aggregate-attributions-per-source-destination-limit'; readonly limit: number }
  | { readonly reason: 'trigger-reporting-origin-limit'; readonly limit: number }
  | { readonly reason: 'trigger-aggregate-excessive-reports'; readonly limit: number }
  | { readonly reason: 'trigger-aggregate-insufficient-budget'; readonly limit: number }
  | {
      readonly reason: 'trigger-aggregate-insufficient-named-budget';
      readonly limit: number;
      readonly name: string;
    }
  /** Not in ARA: as for event-level reports. */
  | { readonly reason: 'trigger-source-over-budget' };

/** What became of the aggregatable half of a trigger, at one source. */
export type AggregatableOutcome =
  | { readonly kind: 'attributed'; readonly sourceId: InternalId; readonly report: InternalId }
  | ({ readonly kind: 'dropped'; readonly sourceId: InternalId } & AggregatableDrop);

/** What a trigger with aggregatable data made, whatever its event-level reports are. */
export interface AggregatableDecision {
  readonly checks: readonly Check[];
  /** One for each source with credit. */
  readonly outcomes: readonly AggregatableOutcome[];
  /** How many days before the trigger the source of each null report is said to be. */
  readonly nullReportDays: readonly number[];
}

/** The aggregatable debug report of a registration, and why it has contributions or none. */
export interface DebugReportDecision {
  readonly report: InternalId;
  readonly checks: readonly Check[];
}

/** What became of a trigger, at one source. */
export type SingleDecision =
  /** `reports` is empty if a flexible source counted the conversion but it crossed no bucket. */
  | { readonly kind: 'attributed'; readonly sourceId: InternalId; readonly reports: readonly InternalId[] }
  | ({ readonly kind: 'dropped'; readonly sourceId: InternalId | null } & TriggerDrop);

/** What became of a trigger. */
export type TriggerDecision =
  | SingleDecision
  /** The value was split among these sources. */
  | { readonly kind: 'split'; readonly shares: readonly ShareDecision[] };

/** What became of the share of a value that one source got. */
export interface ShareDecision {
  /** The share of the value of each `event_trigger_data`, in order: at most ten, from the one that counts. */
  readonly values: readonly number[];
  /** If there are others: the index of the first of `values`. */
  readonly from?: number;
  readonly decision: SingleDecision;
}

export const decisionsOf = (decision: TriggerDecision): readonly SingleDecision[] =>
  decision.kind === 'split' ? decision.shares.map((share) => share.decision) : [decision];

/** The ε of an impression's output. If refused, conversions do not count for it, but its output is as random. */
export type Allowance =
  | { readonly kind: 'granted'; readonly epsilon: Epsilon }
  | { readonly kind: 'refused'; readonly epsilon: Epsilon; readonly refusal: BudgetRefusal };

/** When, where and how something was registered. */
export interface Occasion {
  readonly time: Moment;
  /** The origin of the top-level page: of the source site, or of the destination. */
  readonly contextOrigin: Origin;
  readonly reportingOrigin: Origin;
  /** `header`, or the id of the recording rule. */
  readonly via: string;
}

/** What the log keeps of each registration: all that the pages need to explain it. */
export type LogEntry = Occasion & {
  readonly id: InternalId;
  readonly contextSite: Site;
  /** The JSON as received. */
  readonly header: string;
  readonly warnings: readonly Issue[];
  readonly checks: readonly Check[];
  readonly debug: readonly DebugCondition[];
  /** Present if the reporting origin could get debug reports about it. */
  readonly debugAllowed?: true;
  /** Missing if it made none. */
  readonly debugReport?: DebugReportDecision;
} & (
    | { readonly kind: 'source'; readonly sourceType: SourceType; readonly decision: SourceDecision }
    | {
        readonly kind: 'trigger';
        readonly decision: TriggerDecision;
        /** Missing if aggregatable reports are off, or without aggregatable data. */
        readonly aggregatable?: AggregatableDecision;
        /** The candidates as they were then. */
        readonly considered?: readonly ConsideredSource[];
        /** How many more candidates there were: `considered` has the first 100 and those chosen. */
        readonly unlisted?: number;
      }
    /** The header registers nothing, whatever it says; for example, its request was not eligible. */
    | { readonly kind: 'ignored'; readonly reason: IgnoredReason }
    | ({ readonly kind: 'refused'; readonly errors: readonly Issue[] } & (
        | { readonly register: 'source'; readonly sourceType: SourceType }
        | { readonly register: 'trigger' }
      ))
  );
