export const peopleIn = (counts: readonly bigint[]): bigint => counts.reduce((sum, count) => sum + count, 0n);

/**
 * The mean over the buckets of the variance of an estimate. Those in a bucket name it with probability `truth`, others with `others`.
 */
export function responseVariance(counts: readonly bigint[], truth: number, others: number): number {
  const people = Number(peopleIn(counts));
  const variances = counts.map((count) => {
    const inside = Number(count) * truth * (1 - truth);
    return (inside + (people - Number(count)) * others * (1 - others)) / (truth - others) ** 2;
  });
  return variances.reduce((sum, variance) => sum + variance, 0) / counts.length;
}

/** 2p/(1 − p)² with p = e^(−1/scale). */
export const discreteLaplaceVariance = (scale: number): number =>
  (2 * Math.exp(-1 / scale)) / Math.expm1(-1 / scale) ** 2;

/** The variance of noise z with a probability proportional to e^(−z²/2σ²), computed as a sum. */
export function discreteGaussianVariance(variance: number): number {
  let [weights, squares] = [1, 0];
  for (let size = 1; size * size < 2 * variance * 750; size++) {
    const weight = 2 * Math.exp((-size * size) / (2 * variance));
    weights += weight;
    squares += weight * size * size;
  }
  return squares / weights;
}
