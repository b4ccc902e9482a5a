import { FIXED_ONE, fixedExponentialOfMinus } from '../../src/privacy/fixed-point';
import { bestRanges, type Range, type RangeCost, type ReportNoise } from './summary-buckets';
import type { ValueDistribution } from './value-distribution';

/**
 * The summary buckets with the least variance of an estimated total (see `totalError`). With q = e^−ε, D = 1 + (k − 1)·q, M = E[V] and
 * C = Σ_j c_j·m_j, D² times the variance for one source is, but for a constant,
 *
 *     Σ_j m_j²·(c_j·q·D − P_j·(1 − q)·(1 − q − k·q))  −  (q·C + (1 − q)·M)².
 *
 * The first part, A, is a sum over the buckets. The second is concave in C, so the least variance is at a corner of the lower convex
 * hull of the points (C, A) of all choices. The corner for a slope minimises the sum over the buckets of a + slope·c: a dynamic
 * programme. Slopes between the corners found so far lead to all corners (Eisner & Severance 1976).
 * @throws RangeError when there are fewer values than buckets.
 */
export function bestForTotal(distribution: ValueDistribution, noise: ReportNoise): readonly Range[] {
  const { parts, variance, steepest } = terms(distribution, noise);
  const cornerAt = (slope: Slope): Corner => {
    const costs = parts.map(
      (part): RangeCost =>
        (from, to) =>
          value(part(from, to), slope),
    );
    const ranges = bestRanges(distribution, costs);
    const sum = ranges.map(({ from, to }, reports) => parts[reports]?.(from, to) ?? NOTHING).reduce(plus);
    return { ...sum, ranges, slope };
  };
  // The second part falls as C rises, at the greatest C the fastest.
  const leftmost = cornerAt({ a: 1n, c: 0n });
  const rightmost = cornerAt({ a: FIXED_ONE, c: -steepest });
  let best = leftmost;
  const see = (corner: Corner): void => {
    if (variance(corner) < variance(best)) best = corner;
  };
  const between = (left: Corner, right: Corner): void => {
    // All choices between two corners lie above the lines that touch there, and a concave function is least at the ends of such a triangle.
    if (left.c >= right.c || variance(meetingPoint(left, right)) >= variance(best)) return;
    const corner = cornerAt({ a: right.c - left.c, c: left.a - right.a });
    if (value(corner, corner.slope) >= value(left, corner.slope)) return;
    see(corner);
    between(left, corner);
    between(corner, right);
  };
  see(rightmost);
  between(leftmost, rightmost);
  return best.ranges;
}

/** Parts of the variance: A and C, in fixed point. */
interface Parts {
  readonly a: bigint;
  readonly c: bigint;
}

/** Weights of the two parts. */
type Slope = Parts;

interface Corner extends Parts {
  readonly ranges: readonly Range[];
  /** The corner is least by these weights: no choice lies below the line through it. */
  readonly slope: Slope;
}

/** The point at which the lines meet; one of the corners if they are parallel. */
function meetingPoint(left: Corner, right: Corner): Parts {
  const determinant = left.slope.a * right.slope.c - left.slope.c * right.slope.a;
  if (determinant === 0n) return left;
  const [one, other] = [value(left, left.slope), value(right, right.slope)];
  return {
    a: (one * right.slope.c - other * left.slope.c) / determinant,
    c: (left.slope.a * other - right.slope.a * one) / determinant,
  };
}

const NOTHING: Parts = { a: 0n, c: 0n };

const plus = (one: Parts, other: Parts): Parts => ({ a: one.a + other.a, c: one.c + other.c });

const value = (parts: Parts, slope: Slope): bigint => parts.a * slope.a + parts.c * slope.c;

/** The variance times D², the sum of the weights, and FIXED_ONE. */
interface Terms {
  /** What a range of values adds, by the number of its reports. */
  readonly parts: readonly ((from: number, to: number) => Parts)[];
  readonly variance: (parts: Parts) => bigint;
  /** By how much, at most, the variance falls for each unit of C. */
  readonly steepest: bigint;
}

function terms({ values, weights }: ValueDistribution, { epsilon, statesByReports }: ReportNoise): Terms {
  const one = FIXED_ONE;
  const q = fixedExponentialOfMinus(epsilon);
  const states = statesByReports.reduce((sum, count) => sum + count, 0n);
  const inner = weights.map((weight, index) => weight * BigInt(values[index] ?? 0));
  const [weightUpTo, firstUpTo] = [cumulative(weights), cumulative(inner)];
  const total = weightUpTo(values.length);
  const mean = (from: number, to: number): bigint => {
    const weight = weightUpTo(to) - weightUpTo(from);
    return weight === 0n ? 0n : ((firstUpTo(to) - firstUpTo(from)) * one) / weight;
  };
  const replaced = q * (one + (states - 1n) * q) * total;
  const kept = (one - q) * (one - q - states * q);
  /** q·C + (1 − q)·M. */
  const expectedOutput = (c: bigint): bigint => (q * c + (one - q) * mean(0, values.length)) / one;
  return {
    parts: statesByReports.map((count) => (from, to) => {
      const m = mean(from, to);
      const factor = count * replaced - (weightUpTo(to) - weightUpTo(from)) * kept;
      return { a: (m * m * factor) / one ** 3n, c: count * m };
    }),
    variance: ({ a, c }) => a - (total * expectedOutput(c) ** 2n) / one,
    steepest: (2n * total * q * expectedOutput(states * BigInt(values.at(-1) ?? 0) * one)) / one,
  };
}

function cumulative(numbers: readonly bigint[]): (end: number) => bigint {
  let sum = 0n;
  const sums = [0n, ...numbers.map((number) => (sum += number))];
  return (end) => sums[end] ?? 0n;
}
