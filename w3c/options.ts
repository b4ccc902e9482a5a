import { days, type Duration } from '../src/model/units';
import { integer, list, type Parser } from '../formats/codec/codec';
import { Fields } from '../formats/codec/record';
import { Rational } from '../src/privacy/rational';
import type { ApiLimits } from './limits';
import type { Issue } from '../formats/codec/mistakes';
import { siteName } from './site-name';
import { MAX_UINT32 } from '../src/model/registration';

/** Valid options of `saveImpression`, with all defaults filled in. An empty set of sites allows all. */
export interface ImpressionOptions {
  readonly histogramIndex: number;
  readonly matchValue: number;
  readonly conversionSites: ReadonlySet<string>;
  readonly conversionCallers: ReadonlySet<string>;
  readonly lifetime: Duration;
  readonly priority: number;
}

/** Valid options of `measureConversion` (W3C Attribution, "validated conversion options"). An empty set allows all. */
export interface ConversionOptions {
  readonly epsilon: Rational;
  readonly histogramSize: number;
  readonly lookback: Duration;
  readonly matchValues: ReadonlySet<number>;
  readonly impressionSites: ReadonlySet<string>;
  readonly impressionCallers: ReadonlySet<string>;
  readonly credit: readonly Rational[];
  readonly value: number;
  readonly maxValue: number;
}

const MAX_INT32 = 2 ** 31 - 1;
/** Budgets are unsigned 32-bit numbers of microepsilons. */
const MAX_EPSILON = 4294;

const uint32 = integer(0, MAX_UINT32);

/** W3C Attribution, "save an impression", step 5. */
export const impressionOptions =
  (limits: ApiLimits): Parser<ImpressionOptions> =>
  (place) => {
    const fields = new Fields(place);
    const options = {
      histogramIndex: fields.required('histogramIndex', integer(0, limits.maxHistogramSize - 1), 0),
      lifetime: fields.optional('lifetimeDays', upToDays(limits.maxLookbackDays), days(DEFAULT_LIFETIME)),
      conversionSites: sites(limits, fields, 'conversionSites', limits.maxConversionSitesPerImpression),
      conversionCallers: sites(limits, fields, 'conversionCallers', limits.maxConversionCallersPerImpression),
      matchValue: fields.optional('matchValue', uint32, 0),
      priority: fields.optional('priority', integer(-MAX_INT32 - 1, MAX_INT32), 0),
    };
    fields.warnUnknown();
    return options;
  };

const DEFAULT_LIFETIME = 30;

/** W3C Attribution, "validate AttributionConversionOptions", without the aggregation service, which is looked up before. */
export const conversionOptions =
  (limits: ApiLimits): Parser<ConversionOptions> =>
  (place) => {
    const fields = new Fields(place);
    const longest = limits.maxLookbackDays;
    const epsilon = fields.optional('epsilon', positive(MAX_EPSILON), Rational.ONE);
    const histogramSize = fields.required('histogramSize', integer(1, limits.maxHistogramSize), 1);
    const maxValue = fields.optional('maxValue', integer(1, MAX_UINT32), 1);
    const options = {
      epsilon,
      histogramSize,
      value: fields.optional('value', integer(1, maxValue), 1),
      maxValue,
      credit: fields.optional(
        'credit',
        list(positive(Number.MAX_VALUE), { min: 1, max: limits.maxCreditSize }),
        [Rational.ONE],
      ),
      lookback: fields.optional('lookbackDays', upToDays(longest), days(longest)),
      matchValues: new Set(fields.optional('matchValues', list(uint32, { max: limits.maxMatchValues }), [])),
      impressionSites: sites(limits, fields, 'impressionSites', limits.maxImpressionSitesForConversion),
      impressionCallers: sites(limits, fields, 'impressionCallers', limits.maxImpressionCallersForConversion),
    };
    fields.warnUnknown();
    return options;
  };

/** A number of days from 1; more than the longest counts as the longest. */
const upToDays =
  (longest: number): Parser<Duration> =>
  (place) =>
    days(Math.min(integer(1, MAX_UINT32)(place), longest));

const positive =
  (max: number): Parser<Rational> =>
  (place) => {
    const { value } = place;
    if (typeof value === 'number' && value > 0 && value <= max) return Rational.of(value);
    place.expected('positive-number', { max });
    return Rational.ONE;
  };

const sites = (limits: ApiLimits, fields: Fields, name: string, max: number): ReadonlySet<string> =>
  new Set(fields.optional(name, list(siteName(limits), { max }), []));

/** The name of the error with which the call is rejected. */
export const errorOf = ([issue]: readonly Issue[]): 'SyntaxError' | 'RangeError' =>
  issue?.code === 'must-be' && issue.values.what.code === 'site-name' ? 'SyntaxError' : 'RangeError';
