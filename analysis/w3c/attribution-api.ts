import { days, hours, moment, type Moment } from '../../src/model/units';
import type { RandomSource } from '../../src/privacy/random-source';
import { uniformBelow } from '../../src/privacy/uniform';
import { Budgets, deductionOf, type Shortage } from './budgets';
import { emptyHistogram, lastTouchHistogram, type Impression } from './credit';
import { EPOCH, type ApiLimits } from './limits';
import type { ConversionOptions, ImpressionOptions } from './options';

/** Where and when a page calls the API (W3C Attribution, "implicit API inputs"). */
export interface Call {
  readonly time: Moment;
  readonly topLevelSite: string;
  /** The site of the frame that calls, if it is another one. */
  readonly intermediarySite: string | null;
}

/** A conversion report before encryption, and facts that only the browser knows. */
export interface MeasuredConversion {
  readonly histogram: readonly number[];
  /** How many impressions match, whether or not the budgets allow to use them. */
  readonly matching: number;
  /** For each epoch whose impressions may not be used: the budget that had too little left. */
  readonly shortages: readonly Shortage[];
}

/**
 * One browser's half of W3C Attribution Level 1 (https://www.w3.org/TR/privacy-preserving-attribution/). Reports are not encrypted. Calls
 * must come in the order of time.
 */
export class AttributionApi {
  /** Whether the person allows the API. If not, calls succeed, but save nothing and report nothing. */
  enabled = true;
  readonly budgets: Budgets;
  private impressions: Impression[] = [];
  /** Null until an epoch is first needed. */
  private epochStart: Moment | null = null;
  private lastClear: Moment | null = null;

  constructor(
    private readonly limits: ApiLimits,
    private readonly random: RandomSource,
  ) {
    this.budgets = new Budgets(limits);
  }

  saveImpression({ time, topLevelSite, intermediarySite }: Call, options: ImpressionOptions): void {
    if (this.enabled) this.impressions.push({ ...options, site: topLevelSite, intermediarySite, time });
  }

  /** W3C Attribution, "do attribution and fill a histogram". */
  measureConversion(call: Call, options: ConversionOptions): MeasuredConversion {
    const none = emptyHistogram(options.histogramSize);
    if (!this.enabled) return { histogram: none, matching: 0, shortages: [] };
    const { time, topLevelSite } = call;
    const currentEpoch = this.epochOf(time);
    const epochs = [...this.matchingByEpoch(call, options)];
    const matching = epochs.flatMap(([, impressions]) => impressions);
    const isSingleEpoch = this.epochOf(moment(time - options.lookback)) === currentEpoch;
    // The specification draws this histogram twice. If some credit is lost, the second could hold more than was deducted for the first.
    const histogram =
      isSingleEpoch && matching.length > 0 ? lastTouchHistogram(this.random, matching, options) : null;
    const deduction = deductionOf(options, histogram?.reduce((a, b) => a + b) ?? null);
    const shortages: Shortage[] = [];
    const usable = epochs.flatMap(([epoch, impressions]) => {
      const sites = new Set(impressions.map(({ site }) => site));
      const shortage = this.budgets.deduct(epoch, topLevelSite, sites, deduction);
      if (shortage === null) return impressions;
      shortages.push(shortage);
      return [];
    });
    return {
      histogram: usable.length === 0 ? none : (histogram ?? lastTouchHistogram(this.random, usable, options)),
      matching: matching.length,
      shortages,
    };
  }

  /** W3C Attribution, "clear impressions for a site", which a site asks for by `Clear-Site-Data`. */
  clearImpressionsForSite(site: string): void {
    this.impressions = this.impressions.flatMap((impression) => {
      if ((impression.intermediarySite ?? impression.site) === site) return [];
      const conversionSites = without(impression.conversionSites, site);
      const conversionCallers = without(impression.conversionCallers, site);
      // Without this, the last site that is removed would leave a set that allows all.
      return conversionSites === null || conversionCallers === null
        ? []
        : [{ ...impression, conversionSites, conversionCallers }];
    });
  }

  /**
   * W3C Attribution, "clear browsing history for attribution".
   * @param forgetVisits whether the person wants the visits forgotten, else only what the sites stored. No sites: everything.
   * @throws RangeError if there are no sites and visits are to be kept.
   */
  clearBrowsingHistory(time: Moment, sites: ReadonlySet<string>, forgetVisits: boolean): void {
    if (!forgetVisits) {
      if (sites.size === 0) throw new RangeError('sites must be given where visits are kept');
      for (const site of sites)
        for (let epoch = this.startEpoch(time); epoch <= this.epochOf(time); epoch++)
          this.budgets.exhaust(epoch, site);
      return;
    }
    this.impressions = this.impressions.filter(({ site }) => sites.size > 0 && !sites.has(site));
    if (sites.size === 0) this.budgets.forgetAll();
    else this.budgets.forget(sites);
    this.lastClear = time;
  }

  /** The impressions that match, by the epoch in which they were saved (W3C Attribution, "common matching logic"). */
  private matchingByEpoch(
    call: Call,
    options: ConversionOptions,
  ): ReadonlyMap<number, readonly Impression[]> {
    const first = this.startEpoch(call.time);
    const found = new Map<number, Impression[]>();
    for (const impression of this.impressions) {
      const epoch = this.epochOf(impression.time);
      if (epoch < first || !isMatch(impression, call, options)) continue;
      const known = found.get(epoch);
      if (known === undefined) found.set(epoch, [impression]);
      else known.push(impression);
    }
    return found;
  }

  /**
   * W3C Attribution, "get the current epoch". The first epoch starts at an hour of the week that is drawn. (The specification subtracts a
   * part of a week and rounds to an hour, which gives each hour of the week the same probability, too.)
   */
  private epochOf(time: Moment): number {
    this.epochStart ??= hourBefore(time, uniformBelow(this.random, HOURS_OF_EPOCH));
    return Math.floor((time - this.epochStart) / EPOCH);
  }

  /** W3C Attribution, "get the starting epoch for attribution". */
  private startEpoch(time: Moment): number {
    const first = this.epochOf(moment(time - days(this.limits.maxLookbackDays)));
    return this.lastClear === null ? first : Math.max(first, this.epochOf(this.lastClear) + 1);
  }
}

const HOUR = hours(1);
const HOURS_OF_EPOCH = BigInt(EPOCH / HOUR);

const hourBefore = (time: Moment, count: bigint): Moment =>
  moment((Math.floor(time / HOUR) - Number(count)) * HOUR);

/** Null if nothing is left. */
function without(sites: ReadonlySet<string>, site: string): ReadonlySet<string> | null {
  const left = new Set([...sites].filter((other) => other !== site));
  return sites.size > 0 && left.size === 0 ? null : left;
}

const allows = <T>(set: ReadonlySet<T>, item: T): boolean => set.size === 0 || set.has(item);

const isMatch = (
  impression: Impression,
  { time, topLevelSite, intermediarySite }: Call,
  options: ConversionOptions,
): boolean =>
  time - impression.time <= Math.min(impression.lifetime, options.lookback) &&
  allows(impression.conversionSites, topLevelSite) &&
  allows(impression.conversionCallers, intermediarySite ?? topLevelSite) &&
  allows(options.matchValues, impression.matchValue) &&
  allows(options.impressionSites, impression.site) &&
  allows(options.impressionCallers, impression.intermediarySite ?? impression.site);
