import { epsilon, probability, type Epsilon, type Probability, type Site } from './units';

/** See attribution/click-scores.ts. */
export type ScoreKind = 'linear' | 'exponential' | 'reciprocal';

/** In what `tau` and `gap` are given. */
export type TimeUnit = 'seconds' | 'minutes' | 'hours' | 'days';

/**
 * Which of the sources that match a conversion gets the credit; see docs/mechanisms.md. For all but `priority`, `last-touch` and
 * `first-touch`, sources without credit stay eligible.
 */
export type AttributionModel =
  | { readonly kind: 'priority' | 'last-touch' | 'first-touch' }
  | { readonly kind: 'linear' | 'position-based'; readonly credit: CreditRule }
  /** `halfLife` in seconds. */
  | { readonly kind: 'time-decay'; readonly credit: CreditRule; readonly halfLife: number }
  | PrivateModel;

/** What shares of the credit mean: probabilities of one source that gets all, or parts of the value. */
export type CreditRule = 'draw' | 'split';

/** Draws one source, privately; see docs/mechanisms.md. */
export interface PrivateModel {
  readonly kind: 'exponential' | 'permute-and-flip';
  readonly epsilon: Epsilon;
  readonly score: ScoreKind;
  readonly unit: TimeUnit;
  readonly tau: number;
  readonly gap: number | null;
}

/**
 * What randomizes the output of a source; see docs/mechanisms.md. `rr`, k-ary randomized response, draws at registration. The others need
 * the truth, so they draw when the source's one window closes. A source whose states or values are not those of the prior gets `rr`.
 */
export type LabelNoise = Mechanism<number>;

/** A mechanism, with numbers as they are written where it is from. */
export type Mechanism<N> =
  | { readonly kind: 'rr' }
  /** Over states in their order; with `values`, which only source logs have, over these. */
  | { readonly kind: 'rr-with-prior'; readonly prior: readonly N[]; readonly values?: readonly N[] }
  | ({ readonly kind: 'rr-on-bins'; readonly loss: 'squared' | 'absolute' | 'poisson' } & ValuePrior<N>)
  | ({ readonly kind: 'unbiased' } & ValuePrior<N>);

/** The values that are told apart, and how probable each is. */
interface ValuePrior<N> {
  readonly values: readonly N[];
  readonly prior: readonly N[];
}

/** What is protected as a whole: what one impression tells, or one person on one site, or one person everywhere. */
export type PrivacyUnit = 'impression' | 'user-publisher' | 'user-advertiser' | 'user';

/**
 * What a person may lose in each period to everyone together, and how much of it one site can take: without quotas, one reporting site or
 * page could use it up for all others.
 */
export interface JointBudget {
  readonly epsilon: Epsilon;
  /** For the reports of one reporting site, or of one owner of several. */
  readonly reportingSite: Epsilon;
  /** For the impressions on one site. */
  readonly sourceSite: Epsilon;
  /** For the impressions that name one destination. */
  readonly destination: Epsilon;
}

/** How much each privacy unit may spend in each period with each reporting site; see docs/noise.md. */
export interface BudgetSettings {
  readonly unit: PrivacyUnit;
  /** Days of 24 hours since the Unix epoch. An impression belongs to the period in which it was recorded. */
  readonly period: number;
  /** ε for a unit, a period and a reporting site, `attributionEpsilon` included; null: spends are recorded and nothing is refused. */
  readonly epsilon: Epsilon | null;
  /** If greater than 0, (ε, δ)-privacy is enough, and the tighter of basic and advanced composition decides. */
  readonly delta: Probability;
  /** The part of ε for private attribution; impressions share the rest. The unit `user` needs none. */
  readonly attributionEpsilon: Epsilon;
  /** K: conversions count for the first K impressions of a unit and period, each with ε/K. Null: any number, which requires a null ε. */
  readonly cap: number | null;
  /** Null: reporting sites add up without limit. */
  readonly joint: JointBudget | null;
  /** Reporting sites of one owner count as one. A site is in one list at most. */
  readonly owners: readonly (readonly Site[])[];
}

/**
 * What limits on other outputs count. `private`: public data and reports that were sent, never the truth. `specification`: what ARA counts, so that
 * an output that reaches a limit can tell of conversions. See docs/limits.md.
 */
export type LimitCounting = 'private' | 'specification';

/** How conversions are attributed and outputs randomized. */
export interface MeasurementSettings {
  readonly attribution: AttributionModel;
  readonly labelNoise: LabelNoise;
  readonly budget: BudgetSettings;
  /** Whether sources and triggers make aggregatable reports besides event-level ones. The extension also needs a collector. */
  readonly aggregatableReports: boolean;
  readonly limits: LimitCounting;
}

export const defaultMeasurement: MeasurementSettings = {
  attribution: { kind: 'priority' },
  labelNoise: { kind: 'rr' },
  budget: {
    unit: 'impression',
    period: 7,
    epsilon: null,
    delta: probability(0),
    attributionEpsilon: epsilon(0),
    cap: null,
    joint: null,
    owners: [],
  },
  aggregatableReports: false,
  limits: 'private',
};
