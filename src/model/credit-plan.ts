import type { Epsilon, Moment } from './units';
import type { Source } from './records';
import type { TriggerRegistration } from './registration';

/** Who gets the credit for a conversion, and who pays for it. */
export interface PlannedCredit {
  /** More than one if each source gets full credit independently. */
  readonly credited: readonly Source[] | 'over-budget';
  /** Candidates that spend `epsilon` because they took part, each named for one conversion only. */
  readonly charged: readonly Source[];
  readonly epsilon: Epsilon;
}

/** Credits each conversion by one plan for all of them, in place of the attribution model. */
export type CreditPlan = (
  conversion: { readonly time: Moment; readonly registration: TriggerRegistration },
  /** Oldest first. */
  candidates: readonly Source[],
) => PlannedCredit;
