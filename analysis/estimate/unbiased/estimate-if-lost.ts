import { matrixChannel, type ResponseRates } from '../intervals/channel';
import { midPInterval, type Interval } from '../intervals/interval';
import { arrivalRows, sentValues, type LostReports } from './lost-reports';
import type { Counted, Measure } from '../quantities/measure';
import { possibleSums, type Estimate, type EstimateOptions, type OutputCounts } from './response-estimate';

/**
 * Like `estimateResponse`, if reports are lost. What arrived is scaled so that its mean over losses is what was sent (docs/estimate-methods.md, "Lost
 * reports"). The interval covers the noise, the losses, and the possible rates. Quantities that do not depend on a number of reports have none.
 */
export function estimateIfLost(
  measure: Measure,
  response: ResponseRates,
  tally: OutputCounts,
  options: EstimateOptions,
  lost: LostReports,
): Estimate {
  const { counted } = measure;
  if (counted === null || response.outside > 0) return unknown;
  const observed = new Array<number>(counted.values.length).fill(0);
  for (const [output, count] of tally) {
    const reports = counted.reports(output);
    observed[reports] = (observed[reports] ?? 0) + count;
  }
  const at = (rate: number, more: EstimateOptions): Estimate =>
    estimateAt(rate, measure, counted, response.keep, observed, more);
  const own = at(lost.rate, options);
  const [least, most] = lost.range;
  if (least === most) return own;
  const isDependent = lost.from === 'reports';
  const [lowest, highest] = lost.range.map((rate) =>
    at(rate, isDependent ? options : { ...options, isPoint: true }),
  ) as [Estimate, Estimate];
  const interval = joined(own, lowest, highest, isDependent);
  return lost.from === 'given' || lost.from === 'heartbeats'
    ? { ...own, interval, shared: [own.estimate - lowest.estimate, highest.estimate - own.estimate] }
    : { ...own, interval };
}

const unknown: Estimate = {
  observed: NaN,
  noise: NaN,
  estimate: NaN,
  variance: NaN,
  noiseVariance: NaN,
  possible: [NaN, NaN],
  interval: [NaN, NaN],
};

/**
 * The ends at the ends of the possible rates if both errors may come together; if they are independent, they add up as standard errors do (MOVER:
 * Zou & Donner 2008).
 */
function joined(own: Estimate, least: Estimate, most: Estimate, isDependent: boolean): Interval {
  const [low, high] = own.interval;
  if (isDependent) return [Math.min(low, least.interval[0]), Math.max(high, most.interval[1])];
  return [
    Math.max(0, own.estimate - Math.hypot(own.estimate - low, own.estimate - least.estimate)),
    own.estimate + Math.hypot(high - own.estimate, most.estimate - own.estimate),
  ];
}

function estimateAt(
  lost: number,
  measure: Measure,
  { values, shares }: Counted,
  keep: number,
  observed: readonly number[],
  { level, randomness, isPoint }: EstimateOptions,
): Estimate {
  const { mean, spread } = measure;
  const sent = sentValues(values, lost);
  const squares = sentValues(
    values.map((value) => (value - mean) ** 2),
    lost,
  );
  const over = (adds: (reports: number) => number): number =>
    observed.reduce((sum, count, reports) => sum + (count === 0 ? 0 : count * adds(reports)), 0);
  const sources = over(() => 1);
  const total = over((reports) => sent[reports] ?? 0);
  const around = over((reports) => ((sent[reports] ?? 0) - mean) ** 2);
  const noise = sources * (1 - keep) * mean;
  // Of the mean of `around`, the part that is not variance is (1 − p)²·Σ(f − c̄)², which `squares` shows without bias.
  const known = over((reports) => squares[reports] ?? 0) - sources * (1 - keep) * spread;
  const ofNoise = Math.max(around - keep * known, 0);
  const variance =
    randomness === 'noise'
      ? ofNoise
      : sources < 2
        ? Infinity
        : ((around - (total - sources * mean) ** 2 / sources) * sources) / (sources - 1);
  const estimate = (total - noise) / keep;
  const channel = matrixChannel(values, sent, arrivalRows(shares, keep, lost), shares);
  const standardError = Math.sqrt(variance) / keep;
  const arrived = over((reports) => values[reports] ?? 0);
  return {
    observed: arrived,
    // Losses take the same share of it.
    noise: total === 0 ? 0 : (noise * arrived) / total,
    estimate,
    variance: variance / keep ** 2,
    noiseVariance: Math.min(ofNoise, variance) / keep ** 2,
    possible: possibleSums(measure, sources),
    interval:
      isPoint === true
        ? [NaN, NaN]
        : Number.isFinite(standardError)
          ? midPInterval({ channel, observed, estimate, standardError, randomness }, level)
          : [-Infinity, Infinity],
  };
}
