import { after, days, moment, type Moment } from '../../src/model/units';
import { discreteLaplace } from '../noise/discrete-laplace';
import { Rational } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';
import { emptyHistogram } from '../../w3c/credit';
import type { Profile } from './profile';
import type { ConversionReport } from './user';

/** The sum of the reports of one conversion site and caller in one period. */
export interface Batch {
  readonly conversionSite: string;
  readonly caller: string;
  /** The start of the period; null for the whole log. */
  readonly start: Moment | null;
  readonly reports: number;
  readonly histogram: readonly number[];
}

/** A bucket of a batch's histogram, as the aggregation service publishes it. */
export interface HistogramRow {
  readonly conversion_site: string;
  readonly caller: string;
  /** The period, in milliseconds since 1970, without its end; null for the whole log. */
  readonly start: Moment | null;
  readonly end: Moment | null;
  readonly bucket: string;
  /** How many reports were aggregated, with empty ones. */
  readonly reports: number;
  /** The sum with its noise. */
  readonly value: number;
  /** That of the noise; 0 without noise. */
  readonly standard_error: number;
}

/** Adds up histograms. Sums of parts of a log add up to those of the whole. */
export class Batches {
  private readonly byKey = new Map<string, Batch>();

  constructor(private readonly profile: Profile) {}

  addReport({ time, conversionSite, caller, histogram }: ConversionReport): void {
    const { batchDays } = this.profile;
    const length = batchDays === null ? null : days(batchDays);
    const start = length === null ? null : moment(Math.floor(time / length) * length);
    this.add({ conversionSite, caller, start, reports: 1, histogram });
  }

  add(batch: Batch): void {
    const { conversionSite, caller, start } = batch;
    const key = JSON.stringify([start, conversionSite, caller]);
    const { reports, histogram } = this.byKey.get(key) ?? { reports: 0, histogram: this.empty() };
    this.byKey.set(key, {
      ...batch,
      reports: reports + batch.reports,
      histogram: histogram.map((sum, index) => sum + (batch.histogram[index] ?? 0)),
    });
  }

  /** In the order of start, conversion site and caller. */
  list(): readonly Batch[] {
    return [...this.byKey.values()].sort(
      (a, b) =>
        (a.start ?? 0) - (b.start ?? 0) ||
        order(a.conversionSite, b.conversionSite) ||
        order(a.caller, b.caller),
    );
  }

  /** @param random null for no noise. */
  rows(random: RandomSource | null): readonly HistogramRow[] {
    return this.list().flatMap((batch) => rowsOf(batch, this.profile, random));
  }

  private empty(): readonly number[] {
    return emptyHistogram(this.profile.buckets.size);
  }
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** One row for each bucket, also for empty ones: what is left out would tell something. */
function rowsOf(
  { conversionSite, caller, start, reports, histogram }: Batch,
  { buckets, batchDays, conversion }: Profile,
  random: RandomSource | null,
): readonly HistogramRow[] {
  const row = {
    conversion_site: conversionSite,
    caller,
    start,
    end: start === null || batchDays === null ? null : after(start, days(batchDays)),
  };
  const sums = [...buckets.values()].map((index) => histogram[index] ?? 0);
  const noisy = withNoise(sums, noiseScale(conversion.maxValue, conversion.epsilon), random);
  return [...buckets.keys()].flatMap((bucket, place) => {
    const sum = noisy[place];
    return sum === undefined ? [] : [{ ...row, bucket, reports, ...sum }];
  });
}

/** A sum as it is published. */
export interface NoisySum {
  /** With its noise. */
  readonly value: number;
  /** That of the noise; 0 without noise. */
  readonly standard_error: number;
}

/** The scale for which the browsers deduct: 2·maxValue/ε (W3C Attribution, "deduct privacy and safety budgets"). */
export const noiseScale = (maxValue: number, epsilon: Rational): Rational =>
  Rational.of(2 * maxValue).over(epsilon);

/**
 * Adds discrete Laplace noise.
 * @param random null for no noise
 */
export function withNoise(
  sums: readonly number[],
  scale: Rational,
  random: RandomSource | null,
): readonly NoisySum[] {
  if (random === null) return sums.map((value) => ({ value, standard_error: 0 }));
  const noise = discreteLaplace(scale);
  const error = laplaceDeviation(scale.toNumber());
  return sums.map((sum) => ({ value: sum + Number(noise(random)), standard_error: error }));
}

/** The standard deviation of discrete Laplace noise: with p = e^(−1/scale), its variance is 2p/(1 − p)². */
export function laplaceDeviation(scale: number): number {
  return Math.sqrt(2 * Math.exp(-1 / scale)) / -Math.expm1(-1 / scale);
}
