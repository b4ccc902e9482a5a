import type { ConsideredSource } from './model/considered-source';
import type { RandomSource } from './privacy/random-source';
import type { ReportState } from './states/report-space';
import type { Transaction } from './store/store';
import {
  disclosures,
  type Check,
  type CheckId,
  type CheckValues,
  type CountedCheckId,
  type MadeCheck,
} from './model/checks';
import type { CreditPlan } from './model/credit-plan';
import type { Allowance } from './model/decision';
import type { Limits } from './model/limits';
import type { MeasurementSettings } from './model/mechanisms';

/** How a source's output is chosen: as in production, truthfully, or as a scenario or a person demands. */
export type NoiseMode =
  | { readonly kind: 'on' }
  | { readonly kind: 'off' }
  | { readonly kind: 'forced'; readonly state: ReportState };

/** What processing one registration works with. */
export interface Work {
  readonly tx: Transaction;
  readonly limits: Limits;
  readonly random: RandomSource;
  readonly noise: NoiseMode;
  readonly measurement: MeasurementSettings;
  /** What a new source may spend where that is known beforehand; else the budget says. */
  readonly allowance?: Allowance;
  /** Who gets the credit where that is decided beforehand; else the attribution model says. */
  readonly creditPlan?: CreditPlan;
  /** Whether reports wait for the end of their window. */
  readonly delay: boolean;
  readonly trace: Trace;
}

/** Collects the checks of one registration in the order in which they are made. */
export class Trace {
  readonly checks: Check[] = [];
  /** The sources that a trigger could have been attributed to. */
  considered: readonly ConsideredSource[] = [];

  /** Notes a check and returns whether it passed. */
  check<Id extends CheckId>(id: Id, passed: boolean, values: CheckValues[Id]): boolean {
    const made: MadeCheck<Id> = { id, passed, values, discloses: disclosures[id] };
    // One of them, which TypeScript does not see of an id that is a type parameter.
    this.checks.push(made as MadeCheck);
    return passed;
  }

  /** Notes that a count may not go beyond a limit. */
  within(id: CountedCheckId, count: number | bigint, limit: number | bigint): boolean {
    return this.check(id, count <= limit, { count: storable(count), limit: storable(limit) });
  }
}

/** JSON has neither 64-bit integers nor infinities. */
const storable = (count: number | bigint): number | string =>
  typeof count === 'number' && Number.isFinite(count) ? count : String(count);
