import { greatest, least } from '../../../numeric/extremes';
import type { Channel } from '../intervals/channel';
import { midPInterval } from '../intervals/interval';
import type { Estimate, EstimateOptions } from './response-estimate';

/**
 * Estimates the sum of values from a mechanism whose mean output is the truth. The noise of each source has a variance v that depends on
 * its value. If the transition matrix has an inverse W, Σ_o W[o][x]·v(x) over the observed outputs o is an unbiased estimate of the total
 * variance. Otherwise n times the sample variance replaces it, which is larger by the variance of the truths on average.
 * @param observed how many sources gave each output.
 * @param isReported whether the outputs' values are what sources reported. The weights of W are not, so their sum is an estimate only.
 */
export function estimateSum(
  channel: Channel,
  inverse: readonly (readonly number[])[] | null,
  observed: readonly number[],
  { level, randomness }: EstimateOptions,
  isReported: boolean,
): Estimate {
  const sources = observed.reduce((a, b) => a + b, 0);
  const sum = weigh(observed, channel.outputs);
  const squares = observed.reduce(
    (total, count, output) => total + count * ((channel.outputs[output] ?? 0) - sum / sources) ** 2,
    0,
  );
  const sampling = sources < 2 ? Infinity : (squares * sources) / (sources - 1);
  const ofNoise =
    inverse === null
      ? sampling
      : clamp(
          weigh(
            observed,
            inverse.map((weights) => weigh(weights, channel.moments.map(varianceOf))),
          ),
          // The inverse can give extreme values; this is the range over all possible truths.
          sources * least(channel.moments.map(varianceOf)),
          sources * greatest(channel.moments.map(varianceOf)),
        );
  const variance = randomness === 'noise' ? ofNoise : Math.max(ofNoise, sampling);
  const standardError = Math.sqrt(variance);
  return {
    observed: isReported ? sum : NaN,
    // No output is replaced: each is moved, by 0 on average.
    noise: NaN,
    estimate: sum,
    variance,
    noiseVariance: ofNoise,
    possible: [sources * least(channel.truths), sources * greatest(channel.truths)],
    interval: midPInterval({ channel, observed, estimate: sum, standardError, randomness }, level),
  };
}

const weigh = (counts: readonly number[], weights: readonly number[]): number =>
  counts.reduce((sum, count, index) => sum + count * (weights[index] ?? 0), 0);

const varianceOf = ({ variance }: { readonly variance: number }): number => variance;

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);
