import { choice, list, number, orNull, pair, string } from '../../../formats/codec/codec';
import { orUndefined, record, required, type FieldsOf } from '../../../formats/codec/record';
import { unrankedReasons, type Unranked } from './unranked';
import { byName, count } from './json-fields';
import type { Quantity } from '../quantities/quantities';
import type { Rank } from '../intervals/ranks';
import type { Unsaid } from './totals';

/** The estimates of one group of sources. */
export interface GroupJson {
  readonly group: Readonly<Record<string, string>>;
  readonly sources: number;
  readonly estimates: readonly EstimateJson[];
}

/** The conversions of one group of sources, and how they compare with those of other groups. */
export interface TotalJson extends GroupJson {
  /** The sources that the estimates are of: those whose reports count conversions. */
  readonly covered: number;
  /** The other sources, by what their reports say in place of conversions. */
  readonly uncovered: Readonly<Record<Unsaid, number>>;
  /** Until how many seconds after a source its conversions count. */
  readonly windows: readonly number[];
  /** The sum of the values of the sources that report values or the buckets of sums, and their average; null: none do. */
  readonly values: {
    readonly sources: number;
    readonly sum: EstimateJson;
    readonly average: EstimateJson;
  } | null;
  readonly compared: { readonly estimate: number; readonly interval: readonly [number, number] } | null;
  /** The places that the group can have among those it is compared with, from 1, and how many it is tied with. */
  readonly rank: Rank | null;
  readonly unranked: Unranked | null;
}

/** What is estimated. */
export interface QuantityJson {
  readonly quantity: Quantity['kind'];
  readonly trigger_data?: number;
  readonly window_end?: number;
  readonly bucket?: readonly [number, number];
  readonly state?: string;
  readonly value?: number;
  readonly values?: readonly number[];
}

/** An estimate, beside what was observed and how much of that is noise on average. */
export interface EstimateJson extends QuantityJson {
  /** Null if no sum of what sources reported is about the quantity: how many of them have one value, by the unbiased randomizer. */
  readonly observed: number | null;
  /** Null if the mechanism replaces no outputs, or `observed` is null. */
  readonly noise: number | null;
  /** Null also if nothing was observed. */
  readonly noise_share: number | null;
  /** The possible number nearest to the unbiased estimate, within the interval. Null if no interval holds, or if it has every possible number. */
  readonly estimate: number | null;
  readonly unbiased: number | null;
  readonly variance: number | null;
  /** The part of the variance that is due to noise. The rest is due to which sources happened to be there. */
  readonly noise_variance: number | null;
  readonly interval: readonly [number | null, number | null];
  readonly likelihood?: LikelyEstimateJson;
}

/** An estimate by maximum likelihood. */
interface LikelyEstimateJson {
  readonly estimate: number;
  readonly interval: readonly [number, number];
}

const numberOrNull = orNull(number());

const quantityKind = choice(
  'conversion-rate',
  'conversions',
  'trigger-data',
  'window',
  'trigger-data-and-window',
  'bucket',
  'value',
  'state',
  'state-with-share',
  'label',
  'label-with-share',
  'bin',
  'label-sum',
  'average-value',
  'binned-sum',
);

export const quantityFields: FieldsOf<QuantityJson> = {
  quantity: required('quantity', quantityKind),
  trigger_data: orUndefined('trigger_data', count),
  window_end: orUndefined('window_end', number()),
  bucket: orUndefined('bucket', pair(count)),
  state: orUndefined('state', string),
  value: orUndefined('value', number()),
  values: orUndefined('values', list(number())),
};

const estimate = record<EstimateJson>({
  ...quantityFields,
  observed: required('observed', numberOrNull),
  noise: required('noise', numberOrNull),
  noise_share: required('noise_share', numberOrNull),
  estimate: required('estimate', numberOrNull),
  unbiased: required('unbiased', numberOrNull),
  variance: required('variance', numberOrNull),
  noise_variance: required('noise_variance', numberOrNull),
  interval: required('interval', pair(numberOrNull)),
  likelihood: orUndefined(
    'likelihood',
    record<LikelyEstimateJson>({
      estimate: required('estimate', number()),
      interval: required('interval', pair(number())),
    }),
  ),
});

const groupFields: FieldsOf<GroupJson> = {
  group: required('group', byName(string)),
  sources: required('sources', count),
  estimates: required('estimates', list(estimate)),
};
export const group = record<GroupJson>(groupFields);

export const total = record<TotalJson>({
  ...groupFields,
  covered: required('covered', count),
  uncovered: required(
    'uncovered',
    record<TotalJson['uncovered']>({
      values: required('values', count),
      buckets: required('buckets', count),
      hidden: required('hidden', count),
    }),
  ),
  windows: required('windows', list(number(0))),
  values: required(
    'values',
    orNull(
      record<NonNullable<TotalJson['values']>>({
        sources: required('sources', count),
        sum: required('sum', estimate),
        average: required('average', estimate),
      }),
    ),
  ),
  compared: required(
    'compared',
    orNull(
      record<NonNullable<TotalJson['compared']>>({
        estimate: required('estimate', number()),
        interval: required('interval', pair(number())),
      }),
    ),
  ),
  rank: required(
    'rank',
    orNull(
      record<Rank>({
        best: required('best', count),
        worst: required('worst', count),
        tied: required('tied', count),
      }),
    ),
  ),
  unranked: required('unranked', orNull(choice(...unrankedReasons))),
});
