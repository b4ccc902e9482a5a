import type { Moment, Origin, Probability, Site } from './units';
import type { SourceRegistration, AttributionScopes } from './registration';
import type { LabelNoise } from './mechanisms';
import type { AggregatableContribution, AggregationKey } from './aggregatable';
import type { Json } from './json';
import type { SourceType } from './limits';

/** A number from the store, greater than all before it (ARA, "internal ID"). */
export type InternalId = number;

/** How the output of a source is randomized, and how that went. */
export type SourceNoise =
  | { readonly kind: 'truthful' }
  /** The output is this state, whatever happens. Its `reports` were stored at once. */
  | {
      readonly kind: 'replaced';
      readonly state: bigint;
      readonly reports: number;
      /** In debug mode, by the person and not by chance. */
      readonly forced?: true;
    }
  /** To be drawn from the truth when the report window closes; its reports are held until then. */
  | { readonly kind: 'undrawn'; readonly mechanism: LabelNoise['kind'] }
  /** Drawn: the true state, and the output. */
  | {
      readonly kind: 'drawn';
      readonly mechanism: LabelNoise['kind'];
      readonly truth: bigint;
      readonly output: LabelOutput;
    }
  | { readonly kind: 'off' };

/** `forced`: replaced by the person. */
export type NoiseKind = SourceNoise['kind'] | 'forced';

/** What a mechanism that needs the truth outputs: a state of the source, or a number. */
export type LabelOutput =
  | { readonly kind: 'state'; readonly state: bigint }
  | { readonly kind: 'value'; readonly value: number };

/** All that is needed to draw the output of a source, which may be deleted by then. */
export interface UndrawnOutput {
  readonly id: InternalId;
  readonly closesAt: Moment;
  readonly source: Source;
  readonly noise: Exclude<LabelNoise, { readonly kind: 'rr' }>;
}

/** A conversion of a flexible source, kept because each new one recomputes the pending reports from all of them. */
export interface AttributedConversion {
  readonly triggerId: InternalId;
  readonly triggerData: number;
  /** What final reports have not used of its value. */
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

/** What a source with `trigger_specs` has counted. */
export interface FlexibleState {
  readonly conversions: readonly AttributedConversion[];
  readonly pending: readonly FlexibleReport[];
  /** By trigger data: how many buckets the final reports have crossed. */
  readonly finalBuckets: ReadonlyMap<number, number>;
}

/** What the aggregatable reports of a source have used. */
export interface AggregatableState {
  /** ARA, "remaining aggregatable attribution budget". */
  readonly remainingBudget: number;
  readonly remainingNamedBudgets: ReadonlyMap<string, number>;
  /** ARA, "aggregatable dedup keys". */
  readonly deduplicationKeys: readonly bigint[];
  /** ARA, "number of aggregatable attribution reports": without those of triggers with a context id. */
  readonly reportCount: number;
  /** What its aggregatable debug reports have left. Missing without a budget for them. */
  readonly debug?: DebugReportState;
}

/** ARA, "remaining aggregatable debug budget" and "number of aggregatable debug reports". */
export interface DebugReportState {
  readonly remainingBudget: number;
  readonly reportCount: number;
}

/** Not in ARA: for whom reports are, as agreed when their source was registered; without a source, when they were made. */
export interface Addressee {
  /** The collector that gets them. Missing: they go to their own URL. */
  readonly recipient?: Origin;
  /** For which the aggregatable ones are sealed. Missing: for those that the collector serves. */
  readonly aggregationKeys?: readonly AggregationKey[];
}

/** For whom the reports of sources were that were registered before a moment, and after that of the one before it. */
export interface EarlierAddressee {
  readonly until: Moment;
  readonly addressee: Addressee;
}

/** ARA, "attribution source". */
export interface Source extends Addressee {
  readonly id: InternalId;
  readonly sourceType: SourceType;
  readonly sourceOrigin: Origin;
  readonly sourceSite: Site;
  readonly reportingOrigin: Origin;
  readonly time: Moment;
  readonly expiryTime: Moment;
  readonly registration: SourceRegistration;
  /** As registered, or null after a later source without scopes cleared them. */
  readonly attributionScopes: AttributionScopes | null;
  /** Whether the reporting origin may get debug reports about this source. */
  readonly debugAllowed: boolean;
  readonly fenced: boolean;
  readonly states: bigint;
  /** Null for the unbiased randomizer, which has no such rate. */
  readonly randomizedTriggerRate: Probability | null;
  readonly noise: SourceNoise;
  /** Not in ARA: the privacy budget refused it, so no conversion counts for it. */
  readonly overBudget?: true;
  /** Not in ARA: a conversion was credited to another source, so no further one is to this. Limits count it until it expires. */
  readonly forgotten?: true;
  /**
   * Not in ARA: it was registered with private limits, so each of its reports counts when it is first tried. The settings at a conversion do not
   * matter, because fake reports come without a conversion and must count alike.
   */
  readonly countsWhenSent?: true;
  /** ARA, "event-level attributable". */
  readonly attributable: boolean;
  /** ARA, "number of event-level reports". */
  readonly reportCount: number;
  readonly deduplicationKeys: readonly bigint[];
  /** Null unless the registration has `trigger_specs`. */
  readonly flexible: FlexibleState | null;
  /** Null if aggregatable reports were off when it was registered: it makes none. */
  readonly aggregatable: AggregatableState | null;
}

/** Which path a report is sent to, and who is meant to read it. */
export type ReportKind =
  | 'event-level'
  | 'event-level-debug'
  | 'verbose-debug'
  | 'aggregatable'
  /** The copy of an aggregatable report. */
  | 'aggregatable-debug'
  /** ARA, "aggregatable debug report". */
  | 'aggregate-debug';

/** One try to send a report. */
interface Attempt {
  readonly time: Moment;
  readonly outcome: DeliveryOutcome;
}

/** `to`: the URL it was sent to, which is the collector's if there is one. */
export type DeliveryOutcome = { readonly to?: string } & (
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'unreachable'; readonly error: string }
);

/** ARA, "attribution report": a pending report. */
export interface Report extends Addressee {
  readonly id: InternalId;
  readonly kind: ReportKind;
  readonly reportingOrigin: Origin;
  /** The source may be deleted. Missing without a source. */
  readonly sourceSite?: Site;
  readonly url: string;
  readonly body: Json;
  /** When its window makes it due: `scheduled_report_time`. */
  readonly reportTime: Moment;
  /** When it is tried next: at `reportTime`, unless delays are off, a try failed, or it was overdue, put off or hurried (reports/reschedule.ts). */
  readonly nextAttempt: Moment;
  readonly attempts: readonly Attempt[];
  /** What debug mode put in the place of chance. Missing where it did not. */
  readonly noise?: 'off' | 'forced';
  readonly event: EventLevelReport | null;
  /** Only for an aggregatable report. Its `body` has a sealed payload only after the first try to send it. */
  readonly aggregatable?: AggregatableReport;
}

/** What the engine needs of a pending event-level report (ARA, "event-level report"). */
interface EventLevelReport {
  readonly sourceId: InternalId;
  readonly sourceTime: Moment;
  readonly destinations: readonly Site[];
  readonly triggerData: number;
  /** Not before `sourceTime`. Of a fake report: when its window began. */
  readonly triggerTime: Moment;
  readonly triggerPriority: bigint;
  /** The bucket that was crossed; null unless the source is flexible. */
  readonly bucket: number | null;
  /** For which of the destinations its attribution is counted; null for a fake report, which is counted for all. */
  readonly attributedTo: Site | null;
  /** Not in ARA: no limit counts it before it is sent, and then for all destinations. */
  readonly countsWhenSent?: true;
  readonly fake: boolean;
  /** True while the source's output is not drawn: the report is the truth and must not be sent. */
  readonly held: boolean;
}

/** What an aggregatable report says, and what the engine needs of a pending one (ARA, "aggregatable attribution report"). */
export interface AggregatableReport {
  /** Null for a null report. */
  readonly sourceId: InternalId | null;
  readonly destination: Site;
  readonly triggerTime: Moment;
  /** None in a null report. */
  readonly contributions: readonly AggregatableContribution[];
  readonly filteringIdMaxBytes: number;
  /** Only for an aggregatable debug report: the page's site, which is no destination if a source was registered. */
  readonly contextSite?: Site;
}

/** A report that was delivered, given up, replaced, erased with its source, or displaced by noise. */
export interface FinishedReport {
  readonly id: InternalId;
  readonly report: Report;
  readonly time: Moment;
  readonly end: 'delivered' | 'given-up' | 'aged-out' | 'replaced' | 'source-removed' | 'randomized';
}

/** ARA, "rate-limit scope": what an attribution is counted as. Not in ARA: `sent-report`, a report that counts when it is first tried. */
export type RateLimitScope = 'event-attribution' | 'aggregatable-attribution' | 'sent-report';
