import { reportSpaceShape, statesByReports, type SpecShape } from '../../../analysis/optimize/report-counts';
import {
  bestForValue,
  bucketTruths,
  type BucketTruth,
  type Range,
} from '../../../analysis/optimize/summary-buckets';
import { bestForTotal } from '../../../analysis/optimize/total-buckets';
import { totalError } from '../../../analysis/optimize/total-error';
import {
  givenDistribution,
  pastDistribution,
  type ValueDistribution,
} from '../../../analysis/optimize/value-distribution';
import { epsilon as epsilonOf } from '../../../src/model/units';
import { seededRandomSource } from '../../../analysis/random/sources';
import { randomizedResponse, randomizedTriggerRate } from '../../../src/privacy/randomized-response';
import { Rational } from '../../../src/privacy/rational';
import { uniformBelow } from '../../../src/privacy/uniform';
import { ReportSpace } from '../../../src/states/report-space';
import { biasedResponse, type Mechanism } from '../helpers/biased-response';
import { instances } from '../helpers/mechanisms';

// In thousandths, so that a truth is a whole number below 1000 drawn uniformly.
const PER_MILLE = [700, 120, 80, 50, 40, 10];
const DISTRIBUTION = givenDistribution(
  [0, 5, 10, 20, 50, 100],
  PER_MILLE.map((share) => `${share}/1000`),
);
const SOURCES = 60_000;

/** A normal variable is beyond so many standard errors with probability 2·10⁻⁷, both sides together. */
const STANDARD_ERRORS = 5.2;

const CONFIGURATIONS: [SpecShape, number][] = [
  [{ triggerData: 1, windows: 1, buckets: 2, maxReports: 2 }, 1],
  [{ triggerData: 1, windows: 3, buckets: 3, maxReports: 3 }, 3],
  [{ triggerData: 3, windows: 2, buckets: 2, maxReports: 3 }, 4],
];

interface Setting {
  readonly buckets: readonly Range[];
  readonly truths: readonly BucketTruth[];
  readonly counts: readonly bigint[];
}

function settingOf(shape: SpecShape, epsilon: number): Setting {
  const counts = statesByReports(shape);
  const noise = { epsilon: Rational.of(epsilon), statesByReports: counts };
  const buckets = bestForValue(DISTRIBUTION, 'squared', noise);
  return { buckets, truths: bucketTruths(DISTRIBUTION, 'squared', buckets), counts };
}

/**
 * By how much the estimate of each of many sources' values is off: (m(S) − p·m̄)/(1 − p) − V, with S from the mechanism and m̄ from
 * a list of all states. A total is off by the sum.
 */
function errors(
  { buckets, truths }: Setting,
  shape: SpecShape,
  epsilon: number,
  respond: Mechanism,
): number[] {
  const space = new ReportSpace(reportSpaceShape(shape));
  const meanOf = (state: bigint): number => truths[space.decode(state)[0]?.length ?? 0]?.mean ?? NaN;
  const means = Array.from({ length: Number(space.states) }, (_, state) => meanOf(BigInt(state)));
  const uniformMean = means.reduce((sum, mean) => sum + mean, 0) / means.length;
  const p = randomizedTriggerRate(space.states, epsilonOf(epsilon));
  const random = seededRandomSource('total error', 0);
  return Array.from({ length: SOURCES }, () => {
    let left = Number(uniformBelow(random, 1000n));
    const index = PER_MILLE.findIndex((share) => (left -= share) < 0);
    const bucket = buckets.findIndex(({ to }) => index < to);
    const drawn = respond(random);
    const seen = drawn.kind === 'replaced' ? meanOf(drawn.state) : (truths[bucket]?.mean ?? NaN);
    return (seen - p * uniformMean) / (1 - p) - (DISTRIBUTION.values[index] ?? NaN);
  });
}

/** How far the mean of the numbers is from what was expected, in standard errors. */
function standardErrors(numbers: readonly number[], expected: number): number {
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const variance = numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0) / numbers.length;
  return Math.abs(mean - expected) / Math.sqrt(variance / numbers.length);
}

describe.each(CONFIGURATIONS)('the error of a total for %p at ε = %p', (shape, epsilon) => {
  const setting = settingOf(shape, epsilon);
  const one = totalError(setting.truths, setting.counts, epsilonOf(epsilon), 1);
  const states = setting.counts.reduce((sum, count) => sum + count, 0n);
  const squares = (respond: Mechanism): number[] =>
    errors(setting, shape, epsilon, respond).map((error) => error ** 2);

  test('has mean 0 and the predicted variance, with the noise of the engine', () => {
    const found = errors(setting, shape, epsilon, randomizedResponse(states, epsilonOf(epsilon)));
    expect(standardErrors(found, 0)).toBeLessThan(STANDARD_ERRORS);
    expect(
      standardErrors(
        found.map((error) => error ** 2),
        one.standardDeviation ** 2,
      ),
    ).toBeLessThan(STANDARD_ERRORS);
  });

  test('is not that of a mechanism whose rate is 10 % off', () => {
    const weak = biasedResponse(states, epsilon, (value) => (value * 9n) / 10n);
    expect(standardErrors(squares(weak), one.standardDeviation ** 2)).toBeGreaterThan(STANDARD_ERRORS);
  });

  test('grows with the root of the number of sources, and the total with the number', () => {
    const many = totalError(setting.truths, setting.counts, epsilonOf(epsilon), 10_000);
    expect(many.standardDeviation / one.standardDeviation).toBeCloseTo(100, 9);
    expect(many.mean).toBeCloseTo(10_000 * (0.12 * 5 + 0.08 * 10 + 0.05 * 20 + 0.04 * 50 + 0.01 * 100), 6);
    expect(many.relative).toBeCloseTo(many.standardDeviation / many.mean, 12);
    expect(many.noiseShare).toBe(one.noiseShare);
  });
});

test('is noise alone when every value has its bucket', () => {
  const shape = { triggerData: 1, windows: 1, buckets: 5, maxReports: 5 };
  const { truths, counts } = settingOf(shape, 14);
  expect(totalError(truths, counts, epsilonOf(14), 1).noiseShare).toBe(1);
});

test('is that of two states by hand', () => {
  // Values 0 and 1, each half the time, k = 2, e^ε = 3: p = 1/2, m̄ = 1/2, so Var = (½·¼ + ½·½·¼)/¼ = 3/4.
  const truths = [0, 1].map((mean) => ({ probability: 0.5, mean, squaredLoss: 0, loss: 0 }));
  const { standardDeviation, mean } = totalError(truths, [1n, 1n], epsilonOf(Math.log(3)), 100);
  expect(standardDeviation).toBeCloseTo(Math.sqrt(75), 12);
  expect(mean).toBe(50);
});

describe('the buckets for a total', () => {
  const errorOf = (
    distribution: ValueDistribution,
    ranges: readonly Range[],
    counts: readonly bigint[],
    epsilon: number,
  ): number =>
    totalError(bucketTruths(distribution, 'squared', ranges), counts, epsilonOf(epsilon), 1)
      .standardDeviation;

  /** By trying every way to begin the buckets after the first. */
  function exhaustive(distribution: ValueDistribution, counts: readonly bigint[], epsilon: number): number {
    const { length } = distribution.values;
    const tryAll = (starts: readonly number[]): number => {
      if (starts.length === counts.length) {
        const ranges = starts.map((from, bucket) => ({ from, to: starts[bucket + 1] ?? length }));
        return errorOf(distribution, ranges, counts, epsilon);
      }
      let best = Infinity;
      for (let next = (starts.at(-1) ?? 0) + 1; next < length; next++)
        best = Math.min(best, tryAll([...starts, next]));
      return best;
    };
    return tryAll([0]);
  }

  test('err no more than the best of an exhaustive search, on 150 random priors', () => {
    const below = instances('total buckets');
    let better = 0;
    for (let instance = 0; instance < 150; instance++) {
      const size = 5 + below(6);
      const values = new Map([[0, below(50)]]);
      while (values.size < size) values.set(1 + below(40) ** 2, 1 + below(20));
      const distribution = pastDistribution(values);
      const epsilon = [0.3, 1, 3, 8][below(4)] ?? 1;
      const counts = statesByReports({
        triggerData: 1 + below(3),
        windows: 1 + below(2),
        buckets: 1 + below(3),
        maxReports: 4,
      });
      const noise = { epsilon: Rational.of(epsilon), statesByReports: counts };
      const found = errorOf(distribution, bestForTotal(distribution, noise), counts, epsilon);
      expect(found / exhaustive(distribution, counts, epsilon)).toBeCloseTo(1, 9);
      const forValue = errorOf(distribution, bestForValue(distribution, 'squared', noise), counts, epsilon);
      if (found < forValue * 0.99) better += 1;
    }
    // Those for one source's value are often worse.
    expect(better).toBeGreaterThan(25);
  });

  test('are the 5 that the documentation shows, not those of the least loss', () => {
    const distribution = givenDistribution([0, 5, 10, 50, 100], ['0.9', '0.05', '0.03', '0.015', '0.005']);
    const noise = { epsilon: Rational.of(3), statesByReports: [1n, 1n] };
    const starts = bestForTotal(distribution, noise).map(({ from }) => distribution.values[from]);
    expect(starts).toEqual([0, 5]);
  });

  test('of many values are found among the places that are tried', () => {
    const distribution = pastDistribution(
      new Map(Array.from({ length: 400 }, (_, index) => [index * 3, 400 - index])),
    );
    const noise = { epsilon: Rational.of(2), statesByReports: Array<bigint>(4).fill(1n) };
    const ranges = bestForTotal(distribution, noise);
    expect(ranges).toHaveLength(4);
    const forValue = bestForValue(distribution, 'squared', noise);
    const [found, other] = [ranges, forValue].map((cut) =>
      errorOf(distribution, cut, noise.statesByReports, 2),
    );
    expect(found).toBeLessThan(other ?? 0);
  });
});
