import type { Arm } from '../../recording/lift-test';
import type { JsonObject } from '../../src/model/json';
import type { BudgetSettings, MeasurementSettings } from '../../src/model/mechanisms';
import { after, milliseconds, moment, type Epsilon, type Moment, type Origin } from '../../src/model/units';
import type { Shape } from './shapes';

/** An ad that is shown or clicked. `at` is in hours from the start of a period by the device's clock, here and below. */
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
  /** Fields of its registration, beside those of its shape. */
  readonly fields?: JsonObject;
  /** What the device drew for its campaign in a lift test. */
  readonly arm?: Arm;
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
  /** Its deduplication key. */
  readonly key?: string;
  /** As `trigger_context_id`. */
  readonly contextId?: string;
  /** Fields of its registration. */
  readonly fields?: JsonObject;
}

/** The settings of the device change. */
export interface Change {
  readonly kind: 'change';
  readonly at: number;
  readonly budget?: Partial<MeasurementSettings['budget']>;
  readonly limits?: MeasurementSettings['limits'];
  readonly labelNoise?: MeasurementSettings['labelNoise'];
  /** Who gets the reports. */
  readonly recipient?: Origin;
}

/** The device can send nothing from now on, or again. */
interface Connection {
  readonly kind: 'offline' | 'online';
  readonly at: number;
}

/** From now on, all sources together may take as many bytes as they have been charged for by now, or a little more. */
interface Full {
  readonly kind: 'full';
  readonly at: number;
  readonly spare: 0 | 1;
}

/** The person has all reports sent at once. */
interface Hurry {
  readonly kind: 'hurry';
  readonly at: number;
}

/** The person erases what is recorded: all of it, what is about some sites, or what is of some hours. */
export interface Erasing {
  readonly kind: 'erase';
  readonly at: number;
  readonly sites?: readonly string[];
  readonly hours?: { readonly from: number; readonly to: number };
}

/** Somebody who chooses what happens next by what they have received. */
interface Adversary {
  readonly kind: 'adversary';
  readonly at: number;
  readonly next: (received: readonly string[]) => World;
}

export type Happening = Impression | Conversion | Change | Connection | Full | Hurry | Erasing | Adversary;

/** What happens on one device, one after the other. If `at` is less than before, its clock was set back. */
export type World = readonly Happening[];

/** The key of filter data that names the campaign of a lift test. */
export const CAMPAIGN = 'campaign';

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

export const momentOf = ({ at }: { readonly at: number }): Moment => momentAt(at);

export const momentAt = (hours: number): Moment => after(START, milliseconds(Math.floor(hours * 3_600_000)));

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
