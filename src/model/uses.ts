import type { LastTimes } from './last-times';
import type { InternalId, RateLimitScope } from './records';
import type { Moment, Origin, Site } from './units';

/*
 * What the limits count, as documents that are read by their primary key. A document drops what is old when it is written. From `end` on no
 * decision depends on it.
 */

/** What sources of a site used of the limit on destinations of all reporting sites. */
export interface SiteUse {
  /** The source site. */
  readonly id: Site;
  /** When each destination was last registered. */
  readonly lastMinute: LastTimes<Site>;
  readonly end: Moment;
}

/** What one reporting site registered on one source site. */
export interface PartyUse {
  readonly id: string;
  readonly sourceSite: Site;
  readonly reportingSite: Site;
  /** When each origin of the reporting site last registered a source. */
  readonly origins: LastTimes<Origin>;
  readonly destinations: readonly ClaimedDestination[];
  readonly end: Moment;
}

/** A destination of a party's sources. */
export interface ClaimedDestination {
  readonly destination: Site;
  /** When it was last registered. */
  readonly time: Moment;
  /** The unexpired claims that no other outranks and outlives: usually one. */
  readonly claims: readonly Claim[];
  /** When the last claim of each reporting origin expires. Sources that no claim names are found under these origins. */
  readonly origins: LastTimes<Origin>;
}

/** A source that keeps a destination among the unexpired ones (ARA, "unexpired destination limit"). */
export interface Claim {
  readonly source: InternalId;
  readonly priority: bigint;
  readonly time: Moment;
  readonly expiry: Moment;
}

/** What sources of one site and attributions to them used of a destination. */
export interface PairUse {
  readonly id: string;
  readonly sourceSite: Site;
  readonly destination: Site;
  /** When each reporting origin last registered a source. */
  readonly sourceOrigins: LastTimes<Origin>;
  readonly attributions: readonly CountedAttribution[];
  readonly end: Moment;
}

/** ARA, "attribution rate-limit record" of an attribution. */
export interface CountedAttribution {
  readonly scope: RateLimitScope;
  readonly origin: Origin;
  /** The time of the source, or the time at which a sent report was due. */
  readonly time: Moment;
  /** Null for fake and for sent reports, because their attributions are never removed. */
  readonly report: InternalId | null;
}

/** How many sources an origin has stored. */
export interface OriginUse {
  readonly id: Origin;
  readonly sources: number;
}

/** How many reports about a destination wait. */
export interface DestinationUse {
  readonly id: Site;
  readonly eventLevel: number;
  readonly aggregatable: number;
}

/** The stored sources of a reporting origin for a destination, as far as attribution scopes are concerned. */
export interface CandidateUse {
  readonly id: string;
  /** How many have none. */
  readonly plain: number;
  readonly scoped: number;
  /** The event states of the sources with scopes. All have the same number, because others were removed. */
  readonly maxEventStates: number;
  readonly leastLimit: number;
  /** The scopes that they may have: some may be of sources that are gone. */
  readonly scopes: readonly string[];
}

/** The pending reports of a source, which may be gone. */
export interface SourceReports {
  /** The source's. */
  readonly id: InternalId;
  readonly reports: readonly InternalId[];
}

/** What aggregatable debug reports about a site used in the last day (ARA, "aggregatable debug rate-limit record"). */
export interface DebugUse {
  readonly id: string;
  readonly contextSite: Site;
  /** Whose reports; null: those of all reporting sites together. */
  readonly reportingSite: Site | null;
  /** `budget`: the sum of a report's values. */
  readonly spent: readonly { readonly time: Moment; readonly budget: number }[];
  readonly end: Moment;
}

/** What a privacy unit spent in a period. */
export interface Account {
  readonly id: string;
  readonly report: SpentSum;
  readonly attribution: SpentSum;
  readonly end: Moment;
}

/** Enough for every composition theorem: how many losses there are, their sum and that of their squares, exactly. */
export interface SpentSum {
  readonly count: number;
  readonly sum: Fraction;
  readonly squares: Fraction;
}

/** A rational number as a store can keep it. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}
