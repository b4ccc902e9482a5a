import type { RandomSource } from './privacy/random-source';
import { countStates, type ReportState } from './states/report-space';
import { shapeOf } from './states/source-space';
import type { Draft, Need } from './store/draft';
import type { CreditPlan } from './model/credit-plan';
import type { Allowance } from './model/decision';
import type { Limits } from './model/limits';
import type { MeasurementSettings } from './model/mechanisms';
import type { Addressee, EarlierAddressee, InternalId } from './model/records';
import type { Issue } from '../formats/codec/mistakes';
import type { Moment } from './model/units';
import type { SourceRegistration, TriggerRegistration } from './model/registration';
import { remembered, type Memory } from './model/remembered';
import { labelMechanism } from './privacy/label-mechanism';
import { randomizedResponse } from './privacy/randomized-response';
import type { Trace } from './trace';

/** How a source's output is chosen: as in production, truthfully, or as a scenario or a person demands. */
export type NoiseMode =
  | { readonly kind: 'on' }
  | { readonly kind: 'off' }
  | { readonly kind: 'forced'; readonly state: ReportState };

/**
 * The random words of one operation: of a registration by its id, of a closing window by the negative id of its source. The order and the delays of sending
 * share stream 0. So with a seed, what one registration draws does not depend on what others drew.
 */
export type RandomStreams = (stream: InternalId) => RandomSource;

/** One thing that happens, in one transaction: what it needs is loaded, then it is decided, then the changes of the draft are applied. */
export interface Operation<T> {
  /** What it looks at in any case. It may look at more. */
  readonly needs: () => readonly Need[];
  /** To be called again with a new draft and the same random words if it needs what is not loaded: it then does the same. */
  readonly decide: (draft: Draft, random: RandomStreams) => T;
}

/** What a decision is made with. */
export interface Deciding {
  readonly draft: Draft;
  readonly limits: Limits;
  readonly random: RandomStreams;
  /** Takes the checks; `unread` if nobody reads them. */
  readonly trace: Trace;
  readonly caches: Caches;
}

/** The settings in force for one registration. They name for whom the reports of a new source are. */
export interface SettingsInForce extends Addressee {
  readonly noise: NoiseMode;
  readonly measurement: MeasurementSettings;
  /** What a new source may spend, if known beforehand; otherwise the budget decides. */
  readonly allowance?: Allowance;
  /** Who gets the credit, if planned beforehand; otherwise the attribution model decides. */
  readonly creditPlan?: CreditPlan;
  /** The null reports that a trigger makes, if not left to chance: how many days before it their sources are said to be. */
  readonly nullReportDays?: readonly number[];
  /** For whom reports of sources from before a change are, oldest first; null reports go to them, too. */
  readonly earlierAddressees?: readonly EarlierAddressee[];
  readonly delay: boolean;
}

/** What one registration is decided with. */
export interface Work extends SettingsInForce, Omit<Deciding, 'random'> {
  readonly random: RandomSource;
}

/** Registrations by their headers, under the limits with which they were read. */
export type ReadHeaders<Value> = WeakMap<
  Limits,
  Memory<{ readonly registration: Value; readonly warnings: readonly Issue[] }>
>;

/** All that is kept from one registration to the next besides the store, each bounded (docs/bounds.md). What a registration becomes does not depend on it. */
export class Caches {
  /** When each engine last deleted expired rows. */
  readonly swept = new WeakMap<object, Moment>();
  /** The headers of a campaign differ little, and to parse one takes longer than to decide. */
  readonly sources: ReadHeaders<SourceRegistration> = new WeakMap();
  readonly triggers: ReadHeaders<TriggerRegistration> = new WeakMap();
  /** A linear programme takes seconds. Sites choose ε, so the number of results is bounded, too. */
  readonly mechanismOf: typeof labelMechanism = remembered(
    labelMechanism,
    (...given) => JSON.stringify(given),
    { longest: 10_000, mostTexts: 100 },
  );
  /** Exact bounds take longer to compute than a draw. */
  readonly responseOf = remembered(randomizedResponse, (states, epsilon) => `${states} ${epsilon}`, {
    mostTexts: 2000,
  });
  /** By trigger specs, which the sources of one campaign share. */
  private readonly counted = new WeakMap<TriggerSpecs, { maxReports: number; states: bigint }>();

  /** How many states a source has. */
  statesOf(registration: Pick<SourceRegistration, 'triggerSpecs' | 'maxEventLevelReports'>): bigint {
    const { triggerSpecs, maxEventLevelReports: maxReports } = registration;
    const before = this.counted.get(triggerSpecs);
    if (before?.maxReports === maxReports) return before.states;
    const states = countStates(shapeOf(registration));
    this.counted.set(triggerSpecs, { maxReports, states });
    return states;
  }
}

type TriggerSpecs = SourceRegistration['triggerSpecs'];
