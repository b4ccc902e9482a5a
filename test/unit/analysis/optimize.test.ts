import fc from 'fast-check';
import { workOut } from '../../../src/attribution/summary';
import { moment, type Site } from '../../../src/model/units';
import { cutPlaces } from '../../../analysis/optimize/cut-places';
import { optimize, type OptimizeRequest } from '../../../analysis/optimize/optimize';
import { optimizedRegistration } from '../../../analysis/optimize/registration';
import { reportSpaceShape, statesByReports, type SpecShape } from '../../../analysis/optimize/report-counts';
import { bestForValue, bucketsOf, bucketTruths } from '../../../analysis/optimize/summary-buckets';
import { tradeOffSvg } from '../../../analysis/optimize/trade-off-svg';
import {
  givenDistribution,
  pastDistribution,
  type ValueDistribution,
} from '../../../analysis/optimize/value-distribution';
import type { Loss } from '../../../src/privacy/bin-loss';
import { Rational } from '../../../src/privacy/rational';
import { countStates, ReportSpace } from '../../../src/states/report-space';
import { shapeOf } from '../../../src/states/source-space';
import { accepted, parsedSource } from '../helpers/parsing';
import { instances } from '../helpers/mechanisms';

const request = (changes: Partial<OptimizeRequest> = {}): OptimizeRequest => ({
  distribution: givenDistribution([0, 5, 10, 50, 100], ['0.9', '0.05', '0.03', '0.015', '0.005']),
  epsilon: Rational.of(14),
  sourceType: 'navigation',
  goal: 'value',
  loss: 'squared',
  maxBuckets: 5,
  maxReports: null,
  triggerData: 1,
  windowEnds: [2592000],
  sources: 10_000,
  ...changes,
});

const SHAPES: SpecShape[] = [
  { triggerData: 1, windows: 1, buckets: 3, maxReports: 3 },
  { triggerData: 1, windows: 3, buckets: 2, maxReports: 2 },
  { triggerData: 3, windows: 2, buckets: 2, maxReports: 2 },
  { triggerData: 2, windows: 2, buckets: 2, maxReports: 4 },
];

describe('statesByReports', () => {
  test.each(SHAPES)('counts what decoding every state gives, for %p', (shape) => {
    const space = new ReportSpace(reportSpaceShape(shape));
    const counts = Array<bigint>(shape.buckets + 1).fill(0n);
    for (let state = 0n; state < space.states; state++) {
      const reports = space.decode(state).at(-1)?.length ?? 0;
      counts[reports] = (counts[reports] ?? 0n) + 1n;
    }
    expect(statesByReports(shape)).toEqual(counts);
  });
});

/** The loss o − v·ln o of an output beyond that of the truth. */
const deviance = (output: number, value: number): number =>
  output - value - (value === 0 ? 0 : value * Math.log(output / value));

/** The least Σ weight·loss with one output. It is at the mean, or at one of the values. */
function leastLoss(loss: Loss, values: readonly number[], weights: readonly number[]): number {
  const at = (output: number): number =>
    values.reduce((sum, value, index) => {
      const distance = Math.abs(value - output);
      return (
        sum +
        (weights[index] ?? 0) *
          { squared: distance ** 2, absolute: distance, poisson: deviance(output, value) }[loss]
      );
    }, 0);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const mean = values.reduce((sum, value, index) => sum + value * (weights[index] ?? 0), 0) / total;
  return Math.min(...(loss === 'absolute' ? values : [mean]).map(at));
}

/** By trying every way to begin the buckets after the first, with the probabilities of randomized response written out. */
function exhaustive(
  { values, weights }: ValueDistribution,
  loss: Loss,
  epsilon: number,
  counts: readonly bigint[],
): number {
  const total = Number(weights.reduce((sum, weight) => sum + weight, 0n));
  const prior = weights.map((weight) => Number(weight) / total);
  const states = counts.reduce((sum, count) => sum + Number(count), 0);
  const replaced = states / (states - 1 + Math.exp(epsilon));
  const lossOf = (starts: readonly number[]): number =>
    counts.reduce((sum, count, bucket) => {
      const [from, to] = [starts[bucket] ?? 0, starts[bucket + 1] ?? values.length];
      const given = prior.map(
        (probability, index) =>
          probability *
          ((replaced * Number(count)) / states + (index >= from && index < to ? 1 - replaced : 0)),
      );
      return sum + leastLoss(loss, values, given);
    }, 0);
  const tryAll = (starts: readonly number[]): number => {
    if (starts.length === counts.length) return lossOf(starts);
    let best = Infinity;
    for (let next = (starts.at(-1) ?? 0) + 1; next < values.length; next++)
      best = Math.min(best, tryAll([...starts, next]));
    return best;
  };
  return tryAll([0]);
}

describe('bestSummaryBuckets', () => {
  test.each<Loss>(['squared', 'absolute', 'poisson'])(
    'loses no more than the best of an exhaustive search, %s loss, on 200 random priors',
    (loss) => {
      const below = instances(`summary buckets ${loss}`);
      for (let instance = 0; instance < 200; instance++) {
        const size = 5 + below(6);
        const values = new Map([[0, below(50)]]);
        while (values.size < size) values.set(1 + below(40), 1 + below(20));
        const distribution = pastDistribution(values);
        const epsilon = [0.3, 1, 3, 8][below(4)] ?? 1;
        const counts = statesByReports(SHAPES[below(SHAPES.length)] as SpecShape);
        const noise = { epsilon: Rational.of(epsilon), statesByReports: counts };
        const found = bucketsOf(distribution, bestForValue(distribution, loss, noise), loss, noise);
        const least = exhaustive(distribution, loss, epsilon, counts);
        expect(Math.abs(found.expectedLoss / least - 1)).toBeLessThan(1e-9);
      }
    },
  );

  test('covers every value once, in order, and begins above 0', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 2 ** 32 - 1 }), { minLength: 4, maxLength: 300 }),
        fc.constantFrom<Loss>('squared', 'absolute', 'poisson'),
        (positive, loss) => {
          const distribution = pastDistribution(
            new Map(positive.map((value, index) => [value, 1 + (index % 7)])),
          );
          const counts = statesByReports({ triggerData: 2, windows: 2, buckets: 4, maxReports: 4 });
          const noise = { epsilon: Rational.of(5), statesByReports: counts };
          const ranges = bestForValue(distribution, loss, noise);
          const { buckets, expectedLoss } = bucketsOf(distribution, ranges, loss, noise);
          expect(buckets.map(({ from }) => from)).toEqual([0, ...buckets.slice(0, -1).map(({ to }) => to)]);
          expect(buckets.at(-1)?.to).toBe(distribution.values.length);
          for (const { from, to, start } of buckets) {
            expect(to).toBeGreaterThan(from);
            expect(start).toBe(distribution.values[from]);
          }
          const truths = bucketTruths(distribution, loss, buckets);
          expect(truths.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 12);
          // Whoever sees the truth could add the noise, so noise never helps.
          const without = truths.reduce((sum, truth) => sum + truth.loss, 0);
          expect(expectedLoss).toBeGreaterThanOrEqual(without * (1 - 1e-12));
        },
      ),
      { seed: 7, numRuns: 40 },
    );
  });

  test('needs a value for each bucket', () => {
    const noise = { epsilon: Rational.of(1), statesByReports: [1n, 1n, 1n] };
    expect(() => bestForValue(givenDistribution([0, 1], [0.5, 0.5]), 'squared', noise)).toThrow(RangeError);
  });
});

describe('cutPlaces', () => {
  test.each([
    ['few numbers', [1, 2, 3], [1, 1, 1], 3],
    ['128 numbers', Array.from({ length: 128 }, (_, i) => i), Array<number>(128).fill(1), 128],
  ])('takes all of %s', (_what, numbers, weights, count) => {
    expect(cutPlaces(numbers, weights)).toEqual(Array.from({ length: count }, (_, i) => i));
  });

  test('of many numbers takes the first, near the likely, and near the far one', () => {
    // All of the weight is on number 500 and all of the distance before the last.
    const numbers = Array.from({ length: 1000 }, (_, index) => (index === 999 ? 1e9 : index));
    const places = cutPlaces(
      numbers,
      numbers.map((_, index) => (index === 500 ? 1 : 0)),
    );
    expect(places.length).toBeGreaterThan(128 / 3 - 1);
    expect(places.length).toBeLessThanOrEqual(129);
    expect(places).toEqual(expect.arrayContaining([0, 501, 999]));
    expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
  });
});

describe('optimize', () => {
  test('finds more buckets better without noise, and fewer with', () => {
    const clear = optimize(request());
    expect(clear.configurations.map(({ summaryBuckets }) => summaryBuckets)).toEqual([
      [50],
      [50, 100],
      [5, 50, 100],
      [5, 10, 50, 100],
    ]);
    expect(clear.best?.summaryBuckets).toHaveLength(4);
    expect(optimize(request({ epsilon: Rational.of(3) })).best?.summaryBuckets).toEqual([5, 50]);
  });

  test('lets no report stand for the least value where there is always one', () => {
    const always = givenDistribution([5, 10], ['0.5', '0.5']);
    const [one, two] = optimize(request({ distribution: always })).configurations;
    expect(one).toMatchObject({ summaryBuckets: [10], means: [5, 10], discretisationLoss: 0 });
    expect(two).toMatchObject({ summaryBuckets: [5, 10], means: [0, 5, 10], discretisationLoss: 0 });
    expect(one?.outputs[0]).toBeCloseTo(5, 4);
  });

  // States, rate and bits of 1 × 1 × 1, and of 3 × 8 × 3, the default navigation source: the specification's formulas.
  test.each([
    [{ maxBuckets: 1 }, 2n, 0.0000016630560553282642, 0.9999820053790732, true],
    [
      { maxBuckets: 3, maxReports: 3, triggerData: 8, windowEnds: [172800, 604800, 2592000] },
      2925n,
      0.0024263221679834087,
      11.461727965384876,
      true,
    ],
    [
      { maxBuckets: 3, triggerData: 8, windowEnds: [172800, 604800, 2592000], sourceType: 'event' as const },
      2925n,
      0.0024263221679834087,
      11.461727965384876,
      false,
    ],
  ])('says of %p how much noise it has', (changes, states, rate, bits, fits) => {
    const last = optimize(request(changes)).configurations.at(-1);
    expect(last).toMatchObject({ states, randomizedTriggerRate: rate, channelCapacity: bits, fits });
  });

  test('recommends nothing that does not fit, and says at which epsilon it would', () => {
    // One report, 5 windows, 32 trigger data: 161 states, 7.3 bits.
    const result = optimize(
      request({
        sourceType: 'event',
        maxBuckets: 1,
        triggerData: 32,
        windowEnds: [3600, 7200, 10800, 14400, 18000],
      }),
    );
    expect(result.best).toBeNull();
    expect(result.configurations.map(({ fits }) => fits)).toEqual([false]);
    const { largestEpsilon = 0 } = result.configurations[0] ?? {};
    expect(largestEpsilon).toBeLessThan(14);
    expect(
      optimize(
        request({
          epsilon: Rational.of(largestEpsilon),
          sourceType: 'event',
          maxBuckets: 1,
          triggerData: 32,
          windowEnds: [3600, 7200, 10800, 14400, 18000],
        }),
      ).best,
    ).not.toBeNull();
  });

  test('its loss is what discretisation and noise add up to', () => {
    for (const row of optimize(request({ epsilon: Rational.of(2), loss: 'absolute' })).configurations) {
      expect(row.discretisationLoss + row.noiseLoss).toBeCloseTo(row.expectedLoss, 12);
      expect(row.noiseLoss).toBeGreaterThan(0);
    }
  });
});

describe('the registration', () => {
  const asked = request({ triggerData: 3, windowEnds: [3600, 86400], maxReports: 6, maxBuckets: 3 });
  const { best } = optimize(asked);
  const source = accepted(
    parsedSource(best === null ? {} : optimizedRegistration(asked, best), 'navigation'),
  );

  test('is accepted without a warning, and has the states that were promised', () => {
    expect(source.triggerSpecs[0]?.summaryBuckets).toEqual(best?.summaryBuckets);
    expect(countStates(shapeOf(source))).toBe(best?.states);
    expect(source.maxEventLevelReports).toBe(6);
    expect(source.eventLevelEpsilon).toBe(14);
  });

  test('makes the engine enter as many buckets as the optimisation says', () => {
    const starts = best?.summaryBuckets ?? [];
    expect(starts).toHaveLength(3);
    for (const value of asked.distribution.values.slice(1)) {
      const conversion = {
        triggerId: 1,
        triggerData: 2,
        value,
        priority: 0n,
        time: moment(0),
        debugKey: null,
        destination: 'https://shop.example' as Site,
      };
      const { crossings } = workOut(source, {
        conversions: [conversion],
        finalBuckets: new Map(),
        maxReports: source.maxEventLevelReports,
      });
      expect(crossings).toHaveLength(starts.filter((start) => start <= value).length);
    }
  });
});

describe('the picture', () => {
  const result = optimize(request({ epsilon: Rational.of(3) }));
  const heights = (kind: string): number[] =>
    [
      ...tradeOffSvg(result, 'value').matchAll(
        new RegExp(`<rect class="${kind}" x="\\d+" y="[\\d.]+" width="56" height="([\\d.]+)"`, 'g'),
      ),
    ].map(([, height]) => Number(height));

  test('has bars in the proportions of the losses', () => {
    const bars = heights('buckets').map((height, index) => height + (heights('noise')[index] ?? 0));
    const losses = result.configurations.map(({ expectedLoss }) => expectedLoss);
    expect(bars).toHaveLength(4);
    bars.forEach((bar, index) => {
      expect(bar / (bars[0] ?? 0)).toBeCloseTo((losses[index] ?? 0) / (losses[0] ?? 0), 2);
    });
  });

  test('marks the best, and stands alone in light and dark', () => {
    const picture = tradeOffSvg(result, 'value');
    expect(picture).toMatch(/class="label best">2 \(best\)</);
    expect(picture).toContain('prefers-color-scheme: dark');
    expect(picture).not.toMatch(/NaN|undefined|Infinity/);
  });

  test('can be drawn when nothing is lost, or nothing fits', () => {
    const configuration = result.configurations[0];
    if (configuration === undefined) throw new Error('there is a configuration');
    const nothingLost = {
      ...configuration,
      expectedLoss: 0,
      discretisationLoss: 0,
      noiseLoss: 0,
      cost: { buckets: 0, noise: 0 },
      fits: false,
    };
    const picture = tradeOffSvg({ configurations: [nothingLost], best: null }, 'value');
    expect(picture).toContain('no configuration fits');
    expect(picture).toContain('1 (too large)');
    expect(picture).not.toMatch(/NaN|undefined|Infinity/);
  });
});
