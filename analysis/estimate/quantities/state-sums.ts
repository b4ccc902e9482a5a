import type { ReportSpaceShape } from '../../../src/states/report-space';

/** The arithmetic for sums over outputs: addition joins alternatives, multiplication joins independent trigger data. */
export interface Ring<T> {
  readonly one: T;
  plus(a: T, b: T): T;
  times(a: T, b: T): T;
}

/**
 * Sums over all outputs of a report space a product with one factor per trigger data, without listing the outputs. Uses the polynomials of
 * `countStates` with richer coefficients than counts.
 * @param factor for the trigger data at a position, the sum over all placements of that many reports.
 */
function sumOverStates<T>(
  { triggerData, maxReports }: ReportSpaceShape,
  factor: (position: number, reports: number) => T,
  ring: Ring<T>,
): T {
  let byReports: readonly T[] = [ring.one];
  triggerData.forEach((own, position) => {
    const factors = Array.from({ length: Math.min(own.maxReports, maxReports) + 1 }, (_, reports) =>
      factor(position, reports),
    );
    const next: T[] = [];
    byReports.forEach((before, used) =>
      factors.forEach((here, reports) => {
        const total = used + reports;
        if (total > maxReports) return;
        const product = ring.times(before, here);
        const known = next[total];
        next[total] = known === undefined ? product : ring.plus(known, product);
      }),
    );
    byReports = next;
  });
  return byReports.reduce((a, b) => ring.plus(a, b));
}

/** How many outputs have each value of an additive quantity. */
export type Distribution = ReadonlyMap<number, bigint>;

class TooManyValues extends Error {}

const distributions = (limit: number): Ring<Distribution> => ({
  one: new Map([[0, 1n]]),
  plus: (a, b) => {
    const sum = new Map(a);
    for (const [value, ways] of b) sum.set(value, (sum.get(value) ?? 0n) + ways);
    if (sum.size > limit) throw new TooManyValues();
    return sum;
  },
  times: (a, b) => {
    const product = new Map<number, bigint>();
    for (const [left, leftWays] of a)
      for (const [right, rightWays] of b)
        product.set(left + right, (product.get(left + right) ?? 0n) + leftWays * rightWays);
    return product;
  },
});

/** How many outputs have each value, or null when there are more than `limit` values. */
export function distributionOverStates(
  shape: ReportSpaceShape,
  factor: (position: number, reports: number) => Distribution,
  limit: number,
): Distribution | null {
  try {
    return sumOverStates(shape, factor, distributions(limit));
  } catch (error) {
    if (error instanceof TooManyValues) return null;
    throw error;
  }
}

/** Sums over outputs of 1, of a whole-numbered quantity, and of its square. */
export interface Moments {
  readonly ways: bigint;
  readonly first: bigint;
  readonly second: bigint;
}

const moments: Ring<Moments> = {
  one: { ways: 1n, first: 0n, second: 0n },
  plus: (a, b) => ({ ways: a.ways + b.ways, first: a.first + b.first, second: a.second + b.second }),
  // Σ (x + y)² over pairs is Σ x² + 2·Σ x·Σ y + Σ y², each weighted by the other's count.
  times: (a, b) => ({
    ways: a.ways * b.ways,
    first: a.first * b.ways + a.ways * b.first,
    second: a.second * b.ways + 2n * a.first * b.first + a.ways * b.second,
  }),
};

export const momentsOverStates = (
  shape: ReportSpaceShape,
  factor: (position: number, reports: number) => Distribution,
): Moments => sumOverStates(shape, (position, reports) => momentsOf(factor(position, reports)), moments);

export function momentsOf(distribution: Distribution): Moments {
  let [ways, first, second] = [0n, 0n, 0n];
  for (const [value, count] of distribution) {
    const whole = BigInt(value);
    ways += count;
    first += whole * count;
    second += whole * whole * count;
  }
  return { ways, first, second };
}
