import type { SourceRegistration } from '../../../src/model/registration';

/** The part of a registration that decides the possible outputs. */
export type OutputShape = Pick<SourceRegistration, 'triggerSpecs' | 'maxEventLevelReports' | 'flexible'>;

/** A quantity to estimate: a sum over the sources of a group. */
export type Quantity =
  /** Sources with at least one report. */
  | { readonly kind: 'conversion-rate' }
  | { readonly kind: 'conversions' }
  | { readonly kind: 'trigger-data'; readonly triggerData: number }
  /** A window is identified by its end, in seconds after the source. */
  | { readonly kind: 'window'; readonly windowEnd: number }
  | { readonly kind: 'trigger-data-and-window'; readonly triggerData: number; readonly windowEnd: number }
  /** Sources whose sum for the trigger data reached the bucket. */
  | { readonly kind: 'bucket'; readonly triggerData: number; readonly bucket: readonly [number, number] }
  /** The start of the highest bucket reached, summed over sources and trigger data. */
  | { readonly kind: 'value' }
  | { readonly kind: 'state'; readonly state: string }
  /** As `state`, plus 1/k of the sources with an impossible output, where k outputs are possible. */
  | { readonly kind: 'state-with-share'; readonly state: string }
  | ValueQuantity;

/** Quantities of report states only. */
export type StateQuantity = Exclude<Quantity, ValueQuantity | { readonly kind: 'state-with-share' }>;

/** Quantities of mechanisms whose inputs are values. */
type ValueQuantity =
  | { readonly kind: 'label'; readonly value: number }
  /** As `label`, plus 1/k of the sources with an impossible value, where k values are possible. */
  | { readonly kind: 'label-with-share'; readonly value: number }
  | { readonly kind: 'bin'; readonly values: readonly number[] }
  | { readonly kind: 'label-sum' }
  /** `label-sum` for each source. */
  | { readonly kind: 'average-value' }
  /** The sum of the values, each replaced by the mean of its bin under the prior. */
  | { readonly kind: 'binned-sum' };
