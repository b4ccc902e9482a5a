/** How a score tells how good it is to credit a click; see attribution/click-scores.ts. */
export type ScoreKind = 'linear' | 'exponential' | 'reciprocal';

export type TimeUnit = 'seconds' | 'minutes' | 'hours' | 'days';

/**
 * Which of the sources that match a conversion gets the credit.
 *
 * - `priority`: the newest of those with the highest priority, and the others are forgotten (ARA, "trigger attribution").
 * - `last-touch`, `first-touch`: the newest, the oldest, whatever their priority; the others are forgotten.
 * - `linear`, `position-based` (40 % to the first, 40 % to the last, the rest to those between), `time-decay` (half as much for
 *   each `halfLife` in seconds before the conversion): shares of the credit. Either one source is drawn with these
 *   probabilities, or the value of the conversion is split among the sources that take values.
 * - `exponential`, `permute-and-flip`: differentially private in when each source was registered; see docs/noise.md. `tau` and `gap`
 *   are in `unit`; `gap` belongs to the reciprocal score.
 *
 * But for the first three, sources that got no credit stay eligible.
 */
export type AttributionModel =
  | { readonly kind: 'priority' | 'last-touch' | 'first-touch' }
  | { readonly kind: 'linear' | 'position-based'; readonly credit: CreditRule }
  | { readonly kind: 'time-decay'; readonly credit: CreditRule; readonly halfLife: number }
  | PrivateModel;

type CreditRule = 'draw' | 'split';

export interface PrivateModel {
  readonly kind: 'exponential' | 'permute-and-flip';
  readonly epsilon: number;
  readonly score: ScoreKind;
  readonly unit: TimeUnit;
  readonly tau: number;
  readonly gap: number | null;
}

/**
 * What randomizes the output of a source. k-ary randomized response (`rr`) is drawn when the source is registered. The others
 * look at the truth, so they are for sources with one report window, and are drawn when it closes: `rr-with-prior` over the
 * states of the source, `rr-on-bins` and `unbiased` over the values that its one trigger data can reach, 0 and the summary
 * buckets. A source whose states or values are not those of the prior gets `rr`, and its log entry says so.
 */
export type LabelNoise = Mechanism<number>;

/** A mechanism, with numbers as they are written where it is from. */
export type Mechanism<N> =
  | { readonly kind: 'rr' }
  /** Over states in their order; with `values`, which only source logs have, over these. */
  | { readonly kind: 'rr-with-prior'; readonly prior: readonly N[]; readonly values?: readonly N[] }
  | ({ readonly kind: 'rr-on-bins'; readonly loss: 'squared' | 'absolute' | 'poisson' } & ValuePrior<N>)
  | ({ readonly kind: 'unbiased' } & ValuePrior<N>);

interface ValuePrior<N> {
  readonly values: readonly N[];
  readonly prior: readonly N[];
}

/** What is protected as a whole: everything that one impression, or one person on one site, or one person tells. */
export type PrivacyUnit = 'impression' | 'user-publisher' | 'user-advertiser' | 'user';

/** How much may be told about each privacy unit in each period; see docs/noise.md. */
export interface BudgetSettings {
  readonly unit: PrivacyUnit;
  /** In days of 24 hours since the Unix epoch. An impression is in the period in which it was recorded. */
  readonly period: number;
  /** ε in all for a unit and period; null: spends are recorded and nothing is refused. */
  readonly epsilon: number | null;
  /** Not 0: (ε, δ)-privacy is enough, and spends compose by the tighter of the basic and the advanced theorem. */
  readonly delta: number;
  /** The part of ε that is kept for attribution; impressions share the rest. */
  readonly attributionEpsilon: number;
  /** K: how many impressions of a unit and period may make reports, the first K; each has ε/K. Null: any number (and then no ε). */
  readonly cap: number | null;
}

/** How a person, or the trial they take part in, chose that conversions are attributed and outputs randomized. */
export interface MeasurementSettings {
  readonly attribution: AttributionModel;
  readonly labelNoise: LabelNoise;
  readonly budget: BudgetSettings;
}

/** As in ARA. */
export const defaultMeasurement: MeasurementSettings = {
  attribution: { kind: 'priority' },
  labelNoise: { kind: 'rr' },
  budget: { unit: 'impression', period: 7, epsilon: null, delta: 0, attributionEpsilon: 0, cap: null },
};
