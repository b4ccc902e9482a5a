import type { BudgetSettings, MeasurementSettings } from '../../src/model/mechanisms';
import { after, milliseconds, moment, type Epsilon, type Moment, type Origin } from '../../src/model/units';
import type { Shape } from './shapes';

/** An ad that is shown or clicked. `at` is in hours from the start of a period, here and below. */
export interface Impression {
  readonly kind: 'impression';
  readonly at: number;
  /** Also its `source_event_id`. */
  readonly id: number;
  readonly publisher: string;
  readonly advertisers: readonly string[];
  readonly adTech: string;
  /** Those of the configuration unless given. */
  readonly shape?: Shape;
  readonly epsilon?: Epsilon;
}

export interface Conversion {
  readonly kind: 'conversion';
  readonly at: number;
  readonly advertiser: string;
  readonly adTech: string;
  /** 0 unless given. */
  readonly data?: number;
  /** 1 unless given. */
  readonly value?: number;
  /** 0 unless given. */
  readonly priority?: number;
  /** As `trigger_context_id`. */
  readonly contextId?: string;
}

/** The settings of the device change. */
interface Change {
  readonly kind: 'change';
  readonly at: number;
  readonly budget: Partial<MeasurementSettings['budget']>;
}

/** Somebody who chooses what happens next by what they have received. */
interface Adversary {
  readonly kind: 'adversary';
  readonly at: number;
  readonly next: (received: readonly string[]) => World;
}

export type Happening = Impression | Conversion | Change | Adversary;

/** What happens on one device, in the order of time. */
export type World = readonly Happening[];

/** The ad tech that is observed, unless everybody is. */
export const OBSERVED = 'adtech';

export const shown = (
  at: number,
  id: number,
  publisher: string,
  advertisers: string | readonly string[],
  more: Partial<Impression> = {},
): Impression => ({
  kind: 'impression',
  at,
  id,
  publisher,
  advertisers: typeof advertisers === 'string' ? [advertisers] : advertisers,
  adTech: OBSERVED,
  ...more,
});

export const bought = (at: number, advertiser: string, more: Partial<Conversion> = {}): Conversion => ({
  kind: 'conversion',
  at,
  advertiser,
  adTech: OBSERVED,
  ...more,
});

const START = moment(0);

export const momentOf = ({ at }: { readonly at: number }): Moment =>
  after(START, milliseconds(Math.floor(at * 3_600_000)));

export const originOf = (name: string): Origin => `https://${name}.example` as Origin;

/** As many conversions as use up the budgets for attribution of the matrix. */
export const manyBought = (
  at: number,
  advertiser: string,
  more: Partial<Conversion> = {},
): readonly Conversion[] => [1, 2, 3, 4].map(() => bought(at, advertiser, more));

/** Whether an ad tech is the observed one, or of the same owner. */
export const isOwn = (owners: BudgetSettings['owners'], origin: string): boolean =>
  origin === originOf(OBSERVED) ||
  owners.some((sites: readonly string[]) => sites.includes(originOf(OBSERVED)) && sites.includes(origin));
