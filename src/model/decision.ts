import type { ConsideredSource } from './considered-source';
import type { Check } from './checks';
import type { BudgetRefusal, DebugCondition } from './facts';
import type { Json } from './json';
import type { IgnoredReason, Issue } from './mistakes';
import type { InternalId, SourceNoise } from './records';
import type { SourceType } from './limits';
import type { Moment, Origin, Site } from './units';

/** Why a source was not stored, with the limit where there is one (ARA, "source debug data type"). */
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
  | { readonly reason: 'source-trigger-state-cardinality-limit'; readonly limit: bigint }
  /** Not in ARA: what the person's own privacy budget allows. */
  | { readonly reason: 'source-privacy-budget'; readonly refusal: BudgetRefusal };

export type SourceDecision =
  | { readonly kind: 'stored'; readonly sourceId: InternalId; readonly noise: SourceNoise }
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
  /** `report`: the body of the report that would have been. */
  | { readonly reason: 'trigger-event-excessive-reports'; readonly report: Json }
  | { readonly reason: 'trigger-event-low-priority'; readonly report: Json }
  | { readonly reason: 'trigger-event-attributions-per-source-destination-limit'; readonly limit: number }
  | { readonly reason: 'trigger-reporting-origin-limit'; readonly limit: number }
  | { readonly reason: 'trigger-event-storage-limit'; readonly limit: number }
  /** Not in ARA: no candidate may spend what its attribution costs. */
  | { readonly reason: 'trigger-privacy-budget' }
  /** Not in ARA: a plan over all conversions credits this one to none of its candidates. */
  | { readonly reason: 'trigger-not-credited' }
  /** Not in ARA: the value was split, and the source's share of it rounds to nothing. */
  | { readonly reason: 'trigger-event-no-share' };

/** What became of a conversion at one source. */
export type SingleDecision =
  /** `reports` is empty when a flexible source counted the conversion but no bucket was crossed. */
  | { readonly kind: 'attributed'; readonly sourceId: InternalId; readonly reports: readonly InternalId[] }
  | ({ readonly kind: 'dropped'; readonly sourceId: InternalId | null } & TriggerDrop);

export type TriggerDecision =
  | SingleDecision
  /** The value was split among these sources, each with what became of its share. */
  | { readonly kind: 'split'; readonly shares: readonly ShareDecision[] };

/** What became of the part of a conversion that fell to one source. */
export interface ShareDecision {
  /** What of the value of each of its `event_trigger_data`, in their order. */
  readonly values: readonly number[];
  readonly decision: SingleDecision;
}

/** What became of a conversion at each source that it was credited to. */
export const decisionsOf = (decision: TriggerDecision): readonly SingleDecision[] =>
  decision.kind === 'split' ? decision.shares.map((share) => share.decision) : [decision];

/** What an impression may spend on its output, or why it may make none. */
export type Allowance =
  | { readonly kind: 'granted'; readonly epsilon: number }
  | { readonly kind: 'refused'; readonly refusal: BudgetRefusal };

/** How a registration came in. */
export interface Occasion {
  readonly time: Moment;
  /** The top-level page: the source site, or the destination. */
  readonly contextOrigin: Origin;
  readonly reportingOrigin: Origin;
  /** `header`, or the id of the recording rule. */
  readonly via: string;
}

/** What the log keeps of each registration: everything the pages need to explain it. */
export type LogEntry = Occasion & {
  readonly id: InternalId;
  readonly contextSite: Site;
  /** The JSON as it came. */
  readonly header: string;
  readonly warnings: readonly Issue[];
  readonly checks: readonly Check[];
  /** What was not as in production. */
  readonly debug: readonly DebugCondition[];
  /** There when the reporting origin might get debug reports about it. */
  readonly debugAllowed?: true;
} & (
    | { readonly kind: 'source'; readonly sourceType: SourceType; readonly decision: SourceDecision }
    | {
        readonly kind: 'trigger';
        readonly decision: TriggerDecision;
        /** The sources it could have been attributed to, as they then were; entries of older versions lack it. */
        readonly considered?: readonly ConsideredSource[];
      }
    /** The header registers nothing, whatever it says: its request was not eligible, say. */
    | { readonly kind: 'ignored'; readonly reason: IgnoredReason }
    | { readonly kind: 'refused'; readonly register: 'source' | 'trigger'; readonly errors: readonly Issue[] }
  );
