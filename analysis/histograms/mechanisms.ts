import { mistake } from '../../formats/codec/mistakes';
import { epsilon as epsilonOf } from '../../src/model/units';
import { discreteLaplace } from '../noise/discrete-laplace';
import { epsilonParameter, ParameterError, parameterValue } from '../../src/privacy/parameters';
import { randomizedResponse } from '../../src/privacy/randomized-response';
import { Rational, type Exact } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';
import { discreteGaussian } from '../noise/discrete-gaussian';
import { gaussianLoss } from '../noise/gaussian-loss';
import { responseEpsilon } from './response-epsilon';
import { localEpsilon } from './shuffle-amplification';
import { splitAndMix } from './split-and-mix';
import { discreteGaussianVariance, discreteLaplaceVariance, peopleIn, responseVariance } from './variances';
import { integerParameter } from '../noise/parameters';

/**
 * Who adds the noise. Each person: `rr`, `rappor`. Each person, and then a shuffler hides whose answer is whose: `shuffled-rr`,
 * `split-and-mix`. Someone who is trusted with the histogram: `discrete-laplace`, `discrete-gaussian`.
 */
export const histogramMechanisms = [
  'rappor',
  'rr',
  'shuffled-rr',
  'split-and-mix',
  'discrete-laplace',
  'discrete-gaussian',
] as const;

export type HistogramMechanism = (typeof histogramMechanisms)[number];

/** Neighbouring histograms differ in the bucket of one person. */
export interface HistogramParameters {
  /** How many people are truly in each bucket. */
  readonly counts: readonly Exact[];
  readonly epsilon: Exact;
  /** For `shuffled-rr` and `discrete-gaussian`. */
  readonly delta: Exact;
}

export interface NoisyHistogram {
  /** Draws the data that the analyst gets: a whole number for each bucket. */
  readonly draw: (random: RandomSource) => readonly bigint[];
  /** The unbiased estimate of a bucket from it. */
  readonly estimate: (drawn: bigint) => number;
  /** The mean over the buckets of the estimate's squared error. */
  readonly squaredError: number;
}

/** @throws ParameterError for parameters out of range. */
export function noisyHistogram(by: HistogramMechanism, parameters: HistogramParameters): NoisyHistogram {
  const counts = parameters.counts.map((count, bucket) =>
    integerParameter(`counts[${bucket}]`, count, 0n, 1_000_000_000n),
  );
  integerParameter('counts: how many', counts.length, 2n);
  const epsilon = responseEpsilon(parameters.epsilon);
  const exact = epsilonParameter(parameters.epsilon);
  switch (by) {
    case 'rappor':
      return rappor(counts, epsilon);
    case 'rr':
      return response(counts, epsilon);
    case 'shuffled-rr': {
      const delta = deltaParameter(parameters.delta).toNumber();
      return response(counts, localEpsilon(epsilon, Number(peopleIn(counts)), delta));
    }
    case 'split-and-mix': {
      const scale = scaleFor(exact);
      return plain(splitAndMix(counts, scale), discreteLaplaceVariance(scale.toNumber()));
    }
    case 'discrete-laplace': {
      const scale = scaleFor(exact);
      return plain(adding(counts, discreteLaplace(scale)), discreteLaplaceVariance(scale.toNumber()));
    }
    case 'discrete-gaussian': {
      // Another bucket for a person moves the histogram by √2 in L2; with σ = √2/ε₀ that is ε₀²/2-concentrated.
      const loss = gaussianLoss(exact, deltaParameter(parameters.delta));
      const variance = Rational.of(2n).over(loss.times(loss));
      return plain(adding(counts, discreteGaussian(variance)), discreteGaussianVariance(variance.toNumber()));
    }
  }
}

function deltaParameter(delta: Exact): Rational {
  const parsed = Rational.parse(delta);
  if (parsed === null || parsed.sign <= 0n || parsed.compare(Rational.ONE) >= 0n)
    throw new ParameterError('delta', mistake('not-a-probability', { was: parameterValue(delta) }));
  return parsed;
}

/** Another bucket for a person changes two counts by 1 each. */
const scaleFor = (epsilon: Rational): Rational => Rational.of(2n).over(epsilon);

const plain = (draw: NoisyHistogram['draw'], squaredError: number): NoisyHistogram => ({
  draw,
  estimate: Number,
  squaredError,
});

const adding =
  (counts: readonly bigint[], noise: (random: RandomSource) => bigint): NoisyHistogram['draw'] =>
  (random) =>
    counts.map((count) => count + noise(random));

/** k-ary randomized response: each person names the true bucket or any. */
function response(counts: readonly bigint[], epsilon: number): NoisyHistogram {
  const buckets = BigInt(counts.length);
  const respond = randomizedResponse(buckets, epsilonOf(epsilon));
  const others = 1 / (Math.exp(epsilon) + counts.length - 1);
  const truth = Math.exp(epsilon) * others;
  const people = peopleIn(counts);
  return {
    draw: (random) => {
      const named = new Map<bigint, bigint>();
      counts.forEach((count, bucket) => {
        for (let person = 0n; person < count; person += 1n) {
          const answer = respond(random);
          const state = answer.kind === 'truthful' ? BigInt(bucket) : answer.state;
          named.set(state, (named.get(state) ?? 0n) + 1n);
        }
      });
      return counts.map((_, bucket) => named.get(BigInt(bucket)) ?? 0n);
    },
    estimate: (drawn) => (Number(drawn) - Number(people) * others) / (truth - others),
    squaredError: responseVariance(counts, truth, others),
  };
}

/** A bit for each bucket, 1 for one's own, and each bit by randomized response with ε/2: two bits differ between neighbours. */
function rappor(counts: readonly bigint[], epsilon: number): NoisyHistogram {
  const respond = randomizedResponse(2n, epsilonOf(epsilon / 2));
  const others = 1 / (Math.exp(epsilon / 2) + 1);
  const people = peopleIn(counts);
  const bit = (random: RandomSource, truth: bigint): bigint => {
    const answer = respond(random);
    return answer.kind === 'truthful' ? truth : answer.state;
  };
  return {
    draw: (random) =>
      counts.map((count) => {
        let ones = 0n;
        for (let person = 0n; person < people; person += 1n) ones += bit(random, person < count ? 1n : 0n);
        return ones;
      }),
    estimate: (drawn) => (Number(drawn) - Number(people) * others) / (1 - 2 * others),
    squaredError: responseVariance(counts, 1 - others, others),
  };
}
