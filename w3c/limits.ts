import { days } from '../src/model/units';
import { boolean, integer, type Parser } from '../formats/codec/codec';
import { Fields } from '../formats/codec/record';
import { MAX_UINT32 } from '../src/model/registration';

/** W3C Attribution, "Setting Implementation-Defined Values". Budgets are in microepsilons, millionths of ε. */
export interface ApiLimits {
  readonly maxConversionSitesPerImpression: number;
  readonly maxConversionCallersPerImpression: number;
  readonly maxImpressionSitesForConversion: number;
  readonly maxImpressionCallersForConversion: number;
  readonly maxCreditSize: number;
  readonly maxMatchValues: number;
  readonly maxLookbackDays: number;
  readonly maxHistogramSize: number;
  readonly perSitePrivacyBudget: number;
  readonly globalPrivacyBudgetPerEpoch: number;
  readonly impressionSiteQuotaPerEpoch: number;
  /** Whether names of this device are sites, for tests. */
  readonly localhost: boolean;
}

/** The specification fixes it at one week. */
export const EPOCH = days(7);

/**
 * The least that the specification allows. It names no numbers for the histogram and the budgets: these are ours. The shared budgets are
 * multiples of the budget of a site, as it recommends.
 */
export const defaultLimits: ApiLimits = {
  maxConversionSitesPerImpression: 5,
  maxConversionCallersPerImpression: 10,
  maxImpressionSitesForConversion: 30,
  maxImpressionCallersForConversion: 10,
  maxCreditSize: 10,
  maxMatchValues: 30,
  maxLookbackDays: 30,
  maxHistogramSize: 10_000,
  perSitePrivacyBudget: 1_000_000,
  globalPrivacyBudgetPerEpoch: 8_000_000,
  impressionSiteQuotaPerEpoch: 4_000_000,
  localhost: false,
};

export const apiLimits: Parser<ApiLimits> = (place) => {
  const fields = new Fields(place);
  const limit = (name: Exclude<keyof ApiLimits, 'localhost'>, min: number): number =>
    fields.optional(name, integer(min, MAX_UINT32), defaultLimits[name]);
  const limits = {
    maxConversionSitesPerImpression: limit('maxConversionSitesPerImpression', 0),
    maxConversionCallersPerImpression: limit('maxConversionCallersPerImpression', 0),
    maxImpressionSitesForConversion: limit('maxImpressionSitesForConversion', 0),
    maxImpressionCallersForConversion: limit('maxImpressionCallersForConversion', 0),
    maxCreditSize: limit('maxCreditSize', 1),
    maxMatchValues: limit('maxMatchValues', 0),
    maxLookbackDays: fields.optional('maxLookbackDays', integer(1, 366), defaultLimits.maxLookbackDays),
    maxHistogramSize: limit('maxHistogramSize', 1),
    perSitePrivacyBudget: limit('perSitePrivacyBudget', 1),
    globalPrivacyBudgetPerEpoch: limit('globalPrivacyBudgetPerEpoch', 1),
    impressionSiteQuotaPerEpoch: limit('impressionSiteQuotaPerEpoch', 1),
    localhost: fields.optional('localhost', boolean, defaultLimits.localhost),
  };
  fields.warnUnknown();
  return limits;
};
