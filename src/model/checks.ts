import type { AttributionModel, JointBudget, LabelNoise } from './mechanisms';
import type { NoiseKind } from './records';
import type { TriggerDataMatching } from './registration';
import type { Spend } from './spend';

/** The count including the new one, and the limit. A number that is no exact double is a decimal string. */
type Count = Readonly<Record<'count' | 'limit', number | string>>;

type Unit = Pick<Spend, 'unit' | 'of'> & Partial<Pick<Spend, 'reportingSite'>>;
/** No values. */
type Nothing = Readonly<Record<string, never>>;

type By<How extends string> = Readonly<Record<'how', How> & Record<'model', AttributionModel['kind']>>;
type Drawn = Readonly<Record<'source', number> & Record<'sources', string>>;
/** Where a time falls. */
type Falls = Readonly<Record<'window', 'before' | 'within' | 'after'>>;

/** What each check looked at, by its id. Several ids or numbers are joined by ", ". */
export interface CheckValues {
  // Of conversions.
  'event-trigger-data': Nothing;
  'matching-source': { readonly eligible: number; readonly all: number; readonly destination: string };
  filters: { readonly count: number; readonly all: number; readonly sources: string };
  'candidates-within-budget': { readonly count: number; readonly all: number };
  /** `untaken`: no source takes a share of the value; `last`: without noise. */
  attribution:
    | (By<'split'> & Omit<Drawn, 'source'>)
    | (By<'drawn' | 'untaken' | 'last'> & Drawn)
    | (By<'private'> & Drawn & { readonly epsilon: number });
  'value-share': { readonly count: number; readonly values: string; readonly source: number };
  /** `fake`: noised to fake reports by chance. */
  'source-not-noised': { readonly noise: NoiseKind | 'fake' };
  'event-trigger-data-filters': { readonly count: number };
  /** `none` where there is none. */
  'deduplication-key': { readonly key: string };
  'trigger-data': { readonly triggerData: string; readonly matching: TriggerDataMatching };
  'report-window-started': Falls;
  'report-window-open': Falls;
  'source-within-budget': Nothing;
  'source-attributable': { readonly count: number };
  'reports-of-source':
    | ({ readonly room: 'free' } & Count)
    | { readonly room: 'full'; readonly replaceable: number; readonly limit: number }
    /** For a flexible source, whose other reports are computed again. */
    | { readonly room: 'flexible'; readonly final: number; readonly limit: number };
  'priority-over-report': { readonly priority: string; readonly lowest: string };
  'conversions-kept': Count;
  'summary-buckets-left': { readonly count: number; readonly all: number };
  'priority-over-conversions': { readonly reports: number; readonly conversions: number };
  'attributions-per-pair': Count;
  'attributing-origins': Count;
  'pending-reports': Count;
  'source-not-noised-to-nothing': { readonly noise: NoiseKind };
  // Of the aggregatable half of conversions, which has some of the checks above, too.
  'aggregatable-contributions': { readonly count: number };
  'aggregatable-reports-of-source': Count;
  'aggregatable-budget': Count;
  'named-budget': { readonly name: string } & Count;
  // Of aggregatable debug reports.
  'debug-data': { readonly count: number };
  'debug-budget-of-source': Count;
  'debug-reports-of-source': Count;
  'debug-budget-of-site': Count;
  'debug-budget-of-reporting-site': Count;
  // Of sources; `privacy-budget` also of conversions, where units that cannot afford it are left out.
  'privacy-budget': Unit & {
    readonly loss: number;
    readonly spent: number;
    readonly budget: number;
    readonly effect: 'spent' | 'refused' | 'excluded';
  };
  'impressions-of-unit': Unit & Count;
  /** `share`: all of the budget, or the quota of `site`. */
  'joint-budget': {
    readonly share: keyof JointBudget;
    readonly site: string;
    readonly loss: number;
    readonly spent: number;
    readonly budget: number;
  };
  'budget-share': { readonly epsilon: number; readonly registered: number };
  mechanism:
    | { readonly applies: 'yes'; readonly mechanism: Exclude<LabelNoise['kind'], 'rr'> }
    /** Why randomized response applies instead. */
    | { readonly applies: 'epsilon' | 'windows' }
    | { readonly applies: 'states'; readonly states: string; readonly wanted: number }
    | { readonly applies: 'values'; readonly values: string; readonly wanted: string }
    | { readonly applies: 'data'; readonly wanted: string };
  'trigger-state-cardinality': Count;
  /** `fitting`: the largest ε that would fit. */
  'channel-capacity': { readonly bits: number; readonly limit: number; readonly fitting: number | 'same' };
  'event-states': Count;
  'scopes-channel-capacity': Count;
  'sources-of-origin': Count;
  'origins-per-site': Count;
  'destinations-per-minute': Count;
  'destinations-per-day': Count;
  'unexpired-destinations': { readonly limit: number; readonly beyond: number };
  'destinations-of-all': Count;
  'origins-per-destination': { readonly destination: string } & Count;
}

/** The code of a check. */
export type CheckId = keyof CheckValues;

/** The checks of what a source would tell at most. They need nothing but its registration. */
export type InformationCheckId =
  | 'trigger-state-cardinality'
  | 'channel-capacity'
  | 'event-states'
  | 'scopes-channel-capacity';

/** The checks that only compare a count with a limit. */
export type CountedCheckId = {
  [Id in CheckId]: Count extends CheckValues[Id] ? (CheckValues[Id] extends Count ? Id : never) : never;
}[CheckId];

/** What a check discloses: nothing protected, or something of the truth or of how noise changed it. */
export type Disclosure = 'nothing' | 'truth';

/** A check of the log. */
export type Check = MadeCheck;

/** A check of one kind, or of any. */
export type MadeCheck<Id extends CheckId = CheckId> = {
  readonly [Made in Id]: {
    readonly id: Made;
    readonly passed: boolean;
    readonly values: CheckValues[Made];
    readonly discloses: Disclosure;
  };
}[Id];

/** What each check discloses. Pages that hide the truth leave out the checks of an entry from the first that discloses it. */
export const disclosures: Readonly<Record<CheckId, Disclosure>> = {
  'event-trigger-data': 'nothing',
  'matching-source': 'nothing',
  filters: 'nothing',
  'candidates-within-budget': 'nothing',
  attribution: 'nothing',
  'value-share': 'nothing',
  'source-not-noised': 'truth',
  'event-trigger-data-filters': 'truth',
  'deduplication-key': 'truth',
  'trigger-data': 'truth',
  'report-window-started': 'truth',
  'report-window-open': 'truth',
  'source-within-budget': 'nothing',
  'source-attributable': 'truth',
  'reports-of-source': 'truth',
  'priority-over-report': 'truth',
  'conversions-kept': 'truth',
  'summary-buckets-left': 'truth',
  'priority-over-conversions': 'truth',
  'attributions-per-pair': 'truth',
  'attributing-origins': 'truth',
  'pending-reports': 'truth',
  'source-not-noised-to-nothing': 'truth',
  'aggregatable-contributions': 'truth',
  'aggregatable-reports-of-source': 'truth',
  'aggregatable-budget': 'truth',
  'named-budget': 'truth',
  'debug-data': 'truth',
  'debug-budget-of-source': 'truth',
  'debug-reports-of-source': 'truth',
  'debug-budget-of-site': 'truth',
  'debug-budget-of-reporting-site': 'truth',
  'privacy-budget': 'nothing',
  'impressions-of-unit': 'nothing',
  'joint-budget': 'nothing',
  'budget-share': 'nothing',
  mechanism: 'nothing',
  'trigger-state-cardinality': 'nothing',
  'channel-capacity': 'nothing',
  'event-states': 'nothing',
  'scopes-channel-capacity': 'nothing',
  'sources-of-origin': 'nothing',
  'origins-per-site': 'nothing',
  'destinations-per-minute': 'nothing',
  'destinations-per-day': 'nothing',
  'unexpired-destinations': 'nothing',
  'destinations-of-all': 'nothing',
  'origins-per-destination': 'nothing',
};
