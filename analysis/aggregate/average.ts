/** A noisy sum in the unit of the answer, and the scale of its Laplace noise in the same unit. */
export interface NoisySum {
  readonly value: number;
  readonly scale: number;
}

/** What a conversion is worth on average. Null: the noise allows any number, or any number above `low`. */
export interface Average {
  readonly average: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

const NOTHING_KNOWN: Average = { average: null, low: null, high: null };

/**
 * The mean value of conversions, from the noisy sum of their values and their noisy number. The interval contains every mean r ≥ 0 for which the
 * sum less r times the number is as near to 0 as its noise is with the confidence `level` (Fieller 1954, with Laplace noise). It has no upper
 * end if the number may be 0. A sum below 0 counts as 0; otherwise the least likely sums would have the narrowest intervals (Mandelkern & Schultz
 * 2000).
 * @param level between 0 and 1.
 */
export function averageOf(sum: NoisySum, count: NoisySum, level: number): Average {
  if (!(count.value > 0)) return NOTHING_KNOWN;
  const total = Math.max(0, sum.value);
  const average = total / count.value;
  const reach = (mean: number): number => noiseQuantile(sum.scale, mean * count.scale, level);
  const isLower = (mean: number): boolean => total - mean * count.value > reach(mean);
  const isHigher = (mean: number): boolean => mean * count.value - total > reach(mean);
  const low = isLower(0) ? lastOf(isLower, 0, average) : 0;
  // For great means the noise of the number decides: its quantile grows by this for each unit of the mean.
  if (count.value <= noiseQuantile(0, count.scale, level)) return { average, low, high: null };
  let beyond = Math.max(2 * average, sum.scale / count.value);
  while (!isHigher(beyond)) beyond *= 2;
  const high = lastOf((mean) => !isHigher(mean), average, beyond);
  return { average, low, high };
}

/** By what |X − Y| is exceeded with probability 1 − `level`, for independent Laplace numbers X and Y of these scales. */
export function noiseQuantile(one: number, other: number, level: number): number {
  const [least, greatest] = one < other ? [one, other] : [other, one];
  let high = greatest;
  while (noiseTail(greatest, least, high) > 1 - level) high *= 2;
  return lastOf((t) => noiseTail(greatest, least, t) > 1 - level, 0, high);
}

/** P[|X − Y| > t], a ≥ b: (a²·e^(−t/a) − b²·e^(−t/b))/(a² − b²), and (1 + t/2a)·e^(−t/a) if both are equal. */
function noiseTail(a: number, b: number, t: number): number {
  // Nearly equal scales would cancel.
  if (a - b < 1e-5 * a) return (1 + t / (a + b)) * Math.exp((-2 * t) / (a + b));
  const smaller = b === 0 ? 0 : b ** 2 * Math.exp(-t / b);
  return (a ** 2 * Math.exp(-t / a) - smaller) / (a ** 2 - b ** 2);
}

/** The last number that has a property, which `from` has and `to` has not. */
function lastOf(has: (number: number) => boolean, from: number, to: number): number {
  let [low, high] = [from, to];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (has(middle)) low = middle;
    else high = middle;
  }
  return low;
}
