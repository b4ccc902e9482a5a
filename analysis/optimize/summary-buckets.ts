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

/** Indices of values, from `from` (inclusive) to `to` (exclusive). */
export type Range = Pick<Bucket, 'from' | 'to'>;

/** What it costs to give a range of values one number of reports. */
export type RangeCost = (from: number, to: number) => bigint;

/**
 * The ranges with the least sum of costs. There is one per entry of `costs`, each with at least one value; the first begins at 0. If
 * there are more than 128 possible values, only some are tried as starts: see `cutPlaces`.
 * @throws RangeError when there are fewer values than ranges.
 */
export function bestRanges({ values, weights }: ValueDistribution, costs: readonly RangeCost[]): Range[] {
  const places = startPlaces(values, weights);
  const at = (place: number): number => places[place] ?? values.length;
  let cuts: (Cut<{ readonly loss: bigint }> | null)[] = [NO_INTERVALS];
  costs.forEach((cost, reports) => {
    const shorter = cuts;
    const isLast = reports === costs.length - 1;
    cuts = Array.from({ length: places.length + 1 }, (_, to) =>
      isLast && to < places.length
        ? null
        : bestCut(shorter, (from) => ({ from, to, cost: { loss: cost(at(from), at(to)) } }), to),
    );
  });
  const best = cuts[places.length] ?? null;
  if (best === null) throw new RangeError('there must be at least as many values as buckets');
  return intervalsOf(best).map(({ from, to }) => ({ from: at(from), to: at(to) }));
}

/**
 * The summary buckets with the least expected loss. The loss comes from assuming the output of the bucket that a source's noisy reports
 * show. This is the optimum of RR-on-bins (Ghazi et al. 2022) for bins that noise yields at unequal rates. There are k states, of which
 * c_j have j reports. A value of bucket j gives j reports with probability (e^ε − 1 + c_j)/(e^ε − 1 + k), any other value with
 * c_j/(e^ε − 1 + k), wherever the other buckets are. So each bucket has its own best output and loss, and a dynamic programme finds the
 * best cuts.
 * @throws RangeError when there are fewer values than buckets.
 */
export const bestForValue = (distribution: ValueDistribution, loss: Loss, noise: ReportNoise): Range[] =>
  bestRanges(
    distribution,
    noisyCosts(distribution, loss, noise).map((cost) => (from, to) => cost(from, to).loss),
  );

/** The buckets of these ranges, and the expected loss of one source's value beyond what its exact value would lose. */
export function bucketsOf(
  distribution: ValueDistribution,
  ranges: readonly Range[],
  loss: Loss,
  noise: ReportNoise,
): { readonly buckets: readonly Bucket[]; readonly expectedLoss: number } {
  const { values, weights } = distribution;
  const costs = noisyCosts(distribution, loss, noise);
  const found = ranges.flatMap(({ from, to }, reports) => {
    const cost = costs[reports]?.(from, to);
    return cost === undefined ? [] : [{ from, to, ...cost }];
  });
  const states = noise.statesByReports.reduce((sum, count) => sum + count, 0n);
  // Σ of the weights of a value over all buckets.
  const whole = FIXED_ONE + (states - 1n) * fixedExponentialOfMinus(noise.epsilon);
  const exact = (whole * lossOfTruth(distribution, loss)(0, values.length)) / FIXED_ONE;
  const lost = found.reduce((sum, own) => sum + own.loss, 0n) - exact;
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  return {
    buckets: found.map(({ from, to, numerator, denominator }) => ({
      from,
      to,
      start: values[from] ?? 0,
      output: Rational.fraction(numerator, denominator).toNumber(),
    })),
    expectedLoss: Rational.fraction(lost, whole * total).toNumber(),
  };
}

/** For 0, 1, … reports: the best output for a range and its loss, times e^−ε·(e^ε − 1 + k) and the sum of the weights. */
function noisyCosts(
  { values, weights }: ValueDistribution,
  loss: Loss,
  { epsilon, statesByReports }: ReportNoise,
): ((from: number, to: number) => BinCost)[] {
  const q = fixedExponentialOfMinus(epsilon);
  const whole = values.map(BigInt);
  return statesByReports.map((states) =>
    binCosts(loss, whole, 1n, weights, { inside: FIXED_ONE - q + states * q, outside: states * q }),
  );
}

/** What the values of a range lose even if each is known exactly: o − v·ln o is not 0 at o = v. */
function lossOfTruth({ values, weights }: ValueDistribution, loss: Loss): RangeCost {
  const each = binCosts(loss, values.map(BigInt), 1n, weights, WITHOUT_NOISE);
  return (from, to) => {
    let sum = 0n;
    for (let index = from; index < to; index++) if (weights[index] !== 0n) sum += each(index, index + 1).loss;
    return sum;
  };
}

const WITHOUT_NOISE = { inside: FIXED_ONE, outside: 0n };

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
  /** The least Σ loss·P[value] with one output for all of them, beyond what their exact values would lose. */
  readonly loss: number;
}

/** Each bucket's values without noise: the cost of the number of buckets alone. */
export function bucketTruths(
  distribution: ValueDistribution,
  loss: Loss,
  ranges: readonly Range[],
): BucketTruth[] {
  const { values, weights } = distribution;
  const whole = values.map(BigInt);
  const squared = binCosts('squared', whole, 1n, weights, WITHOUT_NOISE);
  const chosen = binCosts(loss, whole, 1n, weights, WITHOUT_NOISE);
  const exact = lossOfTruth(distribution, loss);
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  const toNumber = (fixed: bigint): number => Rational.fraction(fixed, FIXED_ONE * total).toNumber();
  return ranges.map(({ from, to }) => {
    const weight = weights.slice(from, to).reduce((sum, own) => sum + own, 0n);
    if (weight === 0n) return { probability: 0, mean: 0, squaredLoss: 0, loss: 0 };
    const about = squared(from, to);
    return {
      probability: Rational.fraction(weight, total).toNumber(),
      mean: Rational.fraction(about.numerator, about.denominator).toNumber(),
      squaredLoss: toNumber(about.loss),
      loss: toNumber(chosen(from, to).loss - exact(from, to)),
    };
  });
}
