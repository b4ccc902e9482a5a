import type { JsonObject } from '../../../src/model/json';
import { hours, moment, type Moment } from '../../../src/model/units';
import { EPOCH } from '../../../w3c/limits';

/** `at` is in hours from the start of an epoch by the device's clock, here and below. */
interface Timed {
  readonly at: number;
}

export interface Shown extends Timed {
  readonly kind: 'impression';
  readonly site: string;
  /** Of `saveImpression`. */
  readonly options: JsonObject;
}

export interface Bought extends Timed {
  readonly kind: 'conversion';
  readonly site: string;
  /** The site of the frame that calls, if it is another one. */
  readonly caller: string | null;
  /** Of `measureConversion`. */
  readonly options: JsonObject;
}

interface Cleared extends Timed {
  /** What a site asks for by `Clear-Site-Data`, what a browser does when a person clears what sites stored, and what erasing does. */
  readonly kind: 'clear-site-data' | 'forget-site-data' | 'erase';
  /** None: all, if the person erases. */
  readonly sites: readonly string[];
}

/** The person forbids the API. */
interface Paused extends Timed {
  readonly kind: 'pause';
}

export type Happening = Shown | Bought | Cleared | Paused;

/** What happens on one device, one after the other. If `at` is less than before, its clock was set back. */
export type World = readonly Happening[];

/** The conversion site that is observed, unless others are. */
export const OBSERVED = 'shop.example';

/** In hours. */
export const WEEK = EPOCH / hours(1);

export const shown = (at: number, site: string, bucket: number, more: JsonObject = {}): Shown => ({
  ...{ kind: 'impression', at, site: `${site}.example` },
  options: { histogramIndex: bucket, ...more },
});

/** A conversion whose budgets are charged ε = 1 in each epoch, and half of it if it looks back within one epoch. */
export const bought = (
  at: number,
  site = 'shop',
  more: JsonObject = {},
  caller: string | null = null,
): Bought => ({
  ...{ kind: 'conversion', at, site: `${site}.example` },
  caller: caller === null ? null : `${caller}.example`,
  options: { histogramSize: 2, epsilon: 1, ...more },
});

/** Several conversions at once. */
export const severalBought = (count: number, ...call: Parameters<typeof bought>): readonly Bought[] =>
  Array.from({ length: count }, () => bought(...call));

/** Within one epoch, if it began two days ago. */
export const RECENT: JsonObject = { lookbackDays: 1 };

export const momentOf = ({ at }: Timed): Moment => moment(START + at * hours(1));

/** When an epoch starts, unless that is drawn. */
export const START = moment(1_767_225_600_000);

/** In the third epoch: a day before is in it, too. */
export const NOW = 2 * WEEK + 60;

export const ads: World = [shown(NOW - 2, 'news', 0), shown(NOW - 1, 'blog', 1)];
