import type { Epsilon } from '../../src/model/units';
import { Rational } from '../../src/privacy/rational';
import type { BucketTruth } from './summary-buckets';

/** The error of the estimated total of one trigger data. */
export interface TotalError {
  /** The expected total over the sources. */
  readonly mean: number;
  /** The standard deviation of the error, whose mean is 0. */
  readonly standardDeviation: number;
  /** The standard deviation divided by the mean. */
  readonly relative: number;
  /** The noise's share of the error's variance, 0 to 1; the rest comes from different values in one bucket. */
  readonly noiseShare: number;
}

/**
 * The error of the unbiased estimate of the total value T of n sources, T̂ = Σ_s m(s)·n̂_s, with n̂_s = (v_s − n·p/k)/(1 − p) the
 * unbiased count of state s from the number v_s observed (WICG/attribution-reporting-api, noise_corrector.py), and m(s) the mean
 * true value of the bucket that s reports. Each source adds X = (m(S) − p·m̄)/(1 − p), where S is the state observed and
 * m̄ = Σ_s m(s)/k. With I the bucket of its value V:
 *
 * - E[X | V] = m_I, and E[V | I] = m_I, so that T̂ − T has mean 0 and its two parts X − m_I and m_I − V are uncorrelated;
 * - Var[X | I] = (p·u + p·(1 − p)·(m_I − m̄)²)/(1 − p)², where u = Σ_s (m(s) − m̄)²/k: S is the truth or uniform;
 * - so Var[T̂ − T] = n·(E Var[X | I] + E[(V − m_I)²]), sources being independent: noise, then buckets.
 *
 * @param statesByReports in how many states there are 0, 1, … reports, one for each bucket.
 */
export function totalError(
  buckets: readonly BucketTruth[],
  statesByReports: readonly bigint[],
  epsilon: Epsilon,
  sources: number,
): TotalError {
  const states = statesByReports.reduce((sum, count) => sum + count, 0n);
  const shares = statesByReports.map((count) => Rational.fraction(count, states).toNumber());
  // p = k/(k − 1 + e^ε) and 1 − p, without cancellation at small ε.
  const gain = Math.expm1(epsilon);
  const replaced = Number(states) / (Number(states) + gain);
  const truthful = gain / (Number(states) + gain);

  const uniformMean = sumOf(buckets, ({ mean }, index) => mean * (shares[index] ?? 0));
  const uniformVariance = sumOf(
    buckets,
    ({ mean }, index) => (mean - uniformMean) ** 2 * (shares[index] ?? 0),
  );
  const spread = sumOf(buckets, ({ mean, probability }) => (mean - uniformMean) ** 2 * probability);
  const noise = (replaced * uniformVariance + replaced * truthful * spread) / truthful ** 2;
  const within = sumOf(buckets, ({ squaredLoss }) => squaredLoss);

  const mean = sources * sumOf(buckets, (bucket) => bucket.mean * bucket.probability);
  const standardDeviation = Math.sqrt(sources * (noise + within));
  return {
    mean,
    standardDeviation,
    relative: standardDeviation / mean,
    noiseShare: noise / (noise + within),
  };
}

const sumOf = (
  buckets: readonly BucketTruth[],
  term: (bucket: BucketTruth, index: number) => number,
): number => buckets.reduce((sum, bucket, index) => sum + term(bucket, index), 0);
