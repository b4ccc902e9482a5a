import { greatest, least } from '../../../numeric/extremes';
import { responseChannel, type Channel, type ResponseRates } from '../intervals/channel';
import { midPInterval, type Interval, type Randomness } from '../intervals/interval';
import { normalQuantile } from '../intervals/normal';
import type { LostReports } from './lost-reports';
import type { Measure } from '../quantities/measure';

/** How many sources gave each output. Under report states, sources without a report gave output "0". */
export type OutputCounts = ReadonlyMap<string, number>;

/** What an interval covers. */
export interface EstimateOptions {
  /** The confidence level, between 0 and 1. */
  readonly level: number;
  readonly randomness: Randomness;
  /** Without, no report was lost. */
  readonly lost?: LostReports;
  /** If reports are lost, without the interval, which takes nearly all the time. */
  readonly isPoint?: true;
}

/** An estimate of a sum over sources. */
export interface Estimate {
  /** The sum that sources reported, including noise; NaN if no sum of what they reported is about this quantity. */
  readonly observed: number;
  /** The expected part from replaced outputs; NaN if the mechanism replaces none, or nothing is observed. */
  readonly noise: number;
  /** Unbiased: its mean over the noise is the true sum. */
  readonly estimate: number;
  /** An estimate of the variance of `estimate` over what counts as random, unbiased unless stated otherwise. */
  readonly variance: number;
  /** The part of `variance` that is due to noise, at most all of it. */
  readonly noiseVariance: number;
  /** The least and the greatest sum that these sources can have. */
  readonly possible: Interval;
  readonly interval: Interval;
  /** How far to either side the interval reaches because of a share of lost reports that is the same for others; without, not at all. */
  readonly shared?: Interval;
}

/**
 * Estimates from randomized response (docs/estimate-methods.md, "Randomized response"). V is the observed sum over n sources, p the probability of
 * replacement, and c̄ and σ² are mean and variance of what a uniformly random output adds. The mean of (V − n·p·c̄)/(1 − p) is the true
 * sum.
 */
export function estimateResponse(
  measure: Measure,
  response: ResponseRates,
  tally: OutputCounts,
  options: EstimateOptions,
  known = new KnownIntervals(),
): Estimate {
  const histogram = histogramOf(measure, tally);
  const { sources, total, squares } = sumsOf(histogram, measure.mean);
  const { keep } = response;
  const noise = sources * (1 - keep) * measure.mean;
  const estimate = (total - noise) / keep;
  const ofNoise = noiseVariance(measure, response, sources, squares);
  // Sources that happen to be equal do not show that all sources are.
  const variance =
    options.randomness === 'noise'
      ? ofNoise
      : Math.max(ofNoise, samplingVariance(sources, squares, total - sources * measure.mean) / keep ** 2);
  const interval = intervalOf(measure, response, histogram, { estimate, variance }, options, known.of(tally));
  return {
    observed: total,
    noise,
    estimate,
    variance,
    noiseVariance: ofNoise,
    possible: possibleSums(measure, sources),
    interval,
  };
}

/** The same of each source's part, by a factor above 0. */
export function scaled(estimate: Estimate, factor: number): Estimate {
  const both = ([low, high]: Interval): Interval => [low * factor, high * factor];
  return {
    observed: estimate.observed * factor,
    noise: estimate.noise * factor,
    estimate: estimate.estimate * factor,
    variance: estimate.variance * factor ** 2,
    noiseVariance: estimate.noiseVariance * factor ** 2,
    possible: both(estimate.possible),
    interval: both(estimate.interval),
    ...(estimate.shared === undefined ? {} : { shared: both(estimate.shared) }),
  };
}

/** Quantities with too many values to list are counts and sums of values, which are never negative. */
export function possibleSums({ shares }: Measure, sources: number): Interval {
  if (shares === null) return [0, Infinity];
  const values = [...shares.keys()];
  return [least(values) * sources, greatest(values) * sources];
}

/** How many sources add each value. */
function histogramOf(measure: Measure, tally: OutputCounts): ReadonlyMap<number, number> {
  const histogram = new Map<number, number>();
  // Many outputs in a row add the same.
  let [value, sources] = [NaN, 0];
  for (const [output, count] of tally) {
    const own = measure.adds(output);
    if (own === value) {
      sources += count;
      continue;
    }
    if (sources > 0) histogram.set(value, (histogram.get(value) ?? 0) + sources);
    [value, sources] = [own, count];
  }
  if (sources > 0) histogram.set(value, (histogram.get(value) ?? 0) + sources);
  return histogram;
}

/** The number of sources, the sum of what they add, and the sum of its squared differences from c̄. */
function sumsOf(
  histogram: ReadonlyMap<number, number>,
  mean: number,
): { readonly sources: number; readonly total: number; readonly squares: number } {
  let sources = 0;
  let total = 0;
  let squares = 0;
  for (const [value, count] of histogram) {
    sources += count;
    total += count * value;
    squares += count * (value - mean) ** 2;
  }
  return { sources, total, squares };
}

/**
 * The output of a source whose truth adds f has the variance p(1 − p)(f − c̄)² + p·σ². On average, Σ(f − c̄)² is (Q − n·p·σ²)/(1 − p),
 * where Q is the same sum over the observations. Together: p·Q + n·p·(1 − p)·σ². Sources outside always answer uniformly and have the
 * variance σ², of which that sum counts the part 1 − (1 − p)²; the rest is added for their expected number.
 */
function noiseVariance(
  { spread }: Measure,
  { keep, outside }: ResponseRates,
  sources: number,
  squares: number,
): number {
  const replaced = 1 - keep;
  return (
    (replaced * squares + sources * replaced * keep * spread + sources * outside * keep ** 2 * spread) /
    keep ** 2
  );
}

/** n times the sample variance. */
const samplingVariance = (sources: number, squares: number, differences: number): number =>
  sources < 2 ? Infinity : ((squares - differences ** 2 / sources) * sources) / (sources - 1);

function intervalOf(
  measure: Measure,
  response: ResponseRates,
  histogram: ReadonlyMap<number, number>,
  { estimate, variance }: { readonly estimate: number; readonly variance: number },
  { level, randomness }: EstimateOptions,
  known: KnownOfSources,
): Interval {
  const standardError = Math.sqrt(variance);
  const reach = normalQuantile((1 + level) / 2) * standardError;
  const { shares } = measure;
  if (shares === null) {
    const possible = Math.max(0, estimate);
    return [Math.max(0, possible - reach), possible + reach];
  }
  const { channel, intervals } = known(shares, () => responseChannel(shares, measure.mean, response));
  const observed = channel.outputs.map((value) => histogram.get(value) ?? 0);
  const key = `${level} ${randomness} ${observed.join(' ')}`;
  const interval =
    intervals.get(key) ?? midPInterval({ channel, observed, estimate, standardError, randomness }, level);
  intervals.set(key, interval);
  return interval;
}

/** A channel, and the intervals by what was observed through it. */
interface KnownChannel {
  readonly channel: Channel;
  readonly intervals: Map<string, Interval>;
}

type KnownOfSources = (shares: ReadonlyMap<number, number>, make: () => Channel) => KnownChannel;

/**
 * Intervals of the sources of the last estimate. Quantities with the same shares of outputs that are alike in their sources, such as cells with few reports,
 * have the same interval.
 */
export class KnownIntervals {
  private tally: OutputCounts | null = null;
  private channels = new Map<ReadonlyMap<number, number>, KnownChannel>();

  of(tally: OutputCounts): KnownOfSources {
    if (tally !== this.tally) this.channels = new Map();
    this.tally = tally;
    const { channels } = this;
    return (shares, make) => {
      const known = channels.get(shares) ?? { channel: make(), intervals: new Map<string, Interval>() };
      channels.set(shares, known);
      return known;
    };
  }
}
