import { bestCut, intervalsOf, NO_INTERVALS, type Cut } from '../../src/privacy/best-cut';
import { binCosts, type BinCost, type Loss } from '../../src/privacy/bin-loss';
import { FIXED_ONE, fixedExponentialOfMinus } from '../../src/privacy/fixed-point';
import { Rational } from '../../src/privacy/rational';
import { cutPlaces } from './cut-places';
import type { ValueDistribution } from './value-distribution';

/** How a source's states determine the number of reports of one trigger data. */
export interface ReportNoise {
  readonly epsilon: Rational;
  /** The number of states with 0, 1, … reports: see `statesByReports`. */
  readonly statesByReports: readonly bigint[];
}

/** A range of values with the same number of reports. */
export interface Bucket {
  /** Indices of its values, from `from` (inclusive) to `to` (exclusive). */
  readonly from: number;
  readonly to: number;
  /** Its least value; 0 for the bucket without a report. */
  readonly start: number;
  /** The value to assume for a source with this number of reports, at the least expected loss. */
  readonly output: number;
}

/**
 * The summary buckets with the least expected loss, and that loss. The loss comes from assuming the output of the bucket that a source's
 * noisy reports show. This is the optimum of RR-on-bins (Ghazi et al. 2022) for bins that noise yields at unequal rates. There are k
 * states, of which c_j have j reports. A value of bucket j gives j reports with probability (e^ε − 1 + c_j)/(e^ε − 1 + k), any other value
 * with c_j/(e^ε − 1 + k), wherever the other buckets are. So each bucket has its own best output and loss, and a dynamic programme finds
 * the best cuts. There is one bucket per entry of `statesByReports`, each with at least one value; the first begins at 0. If there are more
 * than 128 possible values, only some are tried as starts: see `cutPlaces`.
 * @throws RangeError when there are fewer values than buckets.
 */
export function bestSummaryBuckets(
  { values, weights }: ValueDistribution,
  loss: Loss,
  { epsilon, statesByReports }: ReportNoise,
): { readonly buckets: readonly Bucket[]; readonly expectedLoss: number } {
  const q = fixedExponentialOfMinus(epsilon);
  const whole = values.map(BigInt);
  const places = startPlaces(values, weights);
  const at = (place: number): number => places[place] ?? values.length;
  let cuts: (Cut<BinCost> | null)[] = [NO_INTERVALS];
  statesByReports.forEach((states, reports) => {
    // Both probabilities times e^−ε·(e^ε − 1 + k).
    const outside = states * q;
    const cost = binCosts(loss, whole, 1n, weights, { inside: FIXED_ONE - q + outside, outside });
    const shorter = cuts;
    const isLast = reports === statesByReports.length - 1;
    cuts = Array.from({ length: places.length + 1 }, (_, to) =>
      isLast && to < places.length
        ? null
        : bestCut(shorter, (from) => ({ from, to, cost: cost(at(from), at(to)) }), to),
    );
  });
  const best = cuts[places.length] ?? null;
  if (best === null) throw new RangeError('there must be at least as many values as buckets');
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  const states = statesByReports.reduce((sum, count) => sum + count, 0n);
  return {
    buckets: intervalsOf(best).map(({ from, to, cost: { numerator, denominator } }) => ({
      from: at(from),
      to: at(to),
      start: values[at(from)] ?? 0,
      output: Rational.fraction(numerator, denominator).toNumber(),
    })),
    expectedLoss: Rational.fraction(best.loss, (FIXED_ONE + (states - 1n) * q) * total).toNumber(),
  };
}

/** 0, and the candidate places among the possible values. */
function startPlaces(values: readonly number[], weights: readonly bigint[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  const shares = weights.map((weight) => Rational.fraction(weight, total).toNumber());
  return [0, ...cutPlaces(values.slice(1), shares.slice(1)).map((index) => index + 1)];
}

/** A bucket's values without noise. */
export interface BucketTruth {
  readonly probability: number;
  /** Their mean; 0 for a bucket of probability 0. */
  readonly mean: number;
  /** Σ (value − mean)²·P[value]. */
  readonly squaredLoss: number;
  /** The least Σ loss·P[value] with one output for all of them. */
  readonly loss: number;
}

/** Each bucket's values without noise: the cost of the number of buckets alone. */
export function bucketTruths(
  { values, weights }: ValueDistribution,
  loss: Loss,
  buckets: readonly Bucket[],
): BucketTruth[] {
  const whole = values.map(BigInt);
  const withoutNoise = { inside: FIXED_ONE, outside: 0n };
  const squared = binCosts('squared', whole, 1n, weights, withoutNoise);
  const chosen = binCosts(loss, whole, 1n, weights, withoutNoise);
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  const toNumber = (fixed: bigint): number => Rational.fraction(fixed, FIXED_ONE * total).toNumber();
  return buckets.map(({ from, to }) => {
    const weight = weights.slice(from, to).reduce((sum, own) => sum + own, 0n);
    if (weight === 0n) return { probability: 0, mean: 0, squaredLoss: 0, loss: 0 };
    const about = squared(from, to);
    return {
      probability: Rational.fraction(weight, total).toNumber(),
      mean: Rational.fraction(about.numerator, about.denominator).toNumber(),
      squaredLoss: toNumber(about.loss),
      loss: toNumber(chosen(from, to).loss),
    };
  });
}
