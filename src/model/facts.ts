import type { JointBudget } from './mechanisms';
import type { Spend } from './spend';
import type { Site } from './units';

/** A difference from production when a registration was processed. */
export type DebugCondition =
  | {
      readonly id:
        | 'noise-off'
        | 'delay-off'
        | 'noise-seeded'
        | 'clock-stopped'
        | 'state-forced'
        | 'null-reports-forced'
        | 'limits-changed';
    }
  /** Milliseconds by which Cointoss's clock was ahead of the device's. */
  | { readonly id: 'clock-moved'; readonly by: number };

/** Which limit of a unit's budget an impression exceeds. */
export type BudgetRefusal =
  | (Pick<Spend, 'unit' | 'of'> &
      Partial<Pick<Spend, 'reportingSite'>> &
      (
        | { readonly id: 'impressions'; readonly cap: number }
        | { readonly id: 'epsilon'; readonly epsilon: number }
        /** `cap` of `from` impressions were drawn; this was not one of them. */
        | { readonly id: 'not-drawn'; readonly cap: number; readonly from: number }
      ))
  /** The budget that all reporting sites share, or the quota of a site. */
  | {
      readonly id: 'joint';
      readonly share: keyof JointBudget;
      readonly site: Site | '';
      readonly epsilon: number;
    };
