import type { Source } from './records';
import type { TriggerRegistration } from './registration';
import type { Moment } from './units';

/** What was decided of a conversion beforehand. */
export interface PlannedCredit {
  readonly credited: Source | 'none' | 'over-budget';
  /** Candidates that lose `epsilon` because they took part, each named for one conversion only. */
  readonly charged: readonly Source[];
  readonly epsilon: number;
}

/** Credits each conversion as was decided for all of them together, in place of the attribution model. */
export type CreditPlan = (
  conversion: { readonly time: Moment; readonly registration: TriggerRegistration },
  /** The oldest first. */
  candidates: readonly Source[],
) => PlannedCredit;
