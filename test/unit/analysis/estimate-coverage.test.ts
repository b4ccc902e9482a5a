import type { Configuration } from '../../../analysis/estimate/quantities/configuration';
import { responseRates } from '../../../analysis/estimate/intervals/channel';
import { estimatorOf } from '../../../analysis/estimate/unbiased/estimator-of';
import { normalQuantile } from '../../../analysis/estimate/intervals/normal';
import type { Quantity } from '../../../analysis/estimate/quantities/quantities';
import type { EstimateOptions } from '../../../analysis/estimate/unbiased/response-estimate';
import { epsilon as epsilonOf } from '../../../src/model/units';
import { binomialProbabilities, exactCoverage } from '../helpers/coverage';
import { configurationOf, perform, truthsOf, type Performance } from '../helpers/estimates';
import { isLong } from '../helpers/is-long';

/*
 * Estimates against truths, through the samplers that the extension uses. There are some 40 quantities, and each is checked with an error probability of
 * 1e-8: the mean error is beyond 6 standard errors with 2e-9. Whether intervals are too short by little, the exact coverage below shows.
 */
const RUNS = isLong ? 500 : 200;
const ERROR = 1e-8;
/** The least exact coverage of a count is 92 %: intervals end at whole numbers. */
const LEAST_HELD = leastHeld(RUNS, 0.92);
/** The relative standard error of a mean square is some 7 % over 500 runs and 11 % over 200, more where noise is rare. */
const VARIANCE_RATIOS = isLong ? [0.65, 1.6] : [0.5, 2];
/** The mean length of an interval over that of a normal one: half of the relative error of a mean square is that of its root. */
const MOST_LENGTH = isLong ? 1.25 : 1.4;
const NOISE: EstimateOptions = { level: 0.95, randomness: 'noise' };

/** Fewer of so many intervals hold the truth with a probability below `ERROR`. */
function leastHeld(runs: number, coverage: number): number {
  let below = 0;
  return binomialProbabilities(runs, coverage).findIndex((chance) => (below += chance) > ERROR);
}

/** @param mostLength of an interval, in lengths of a normal one. */
function expectHonest(results: readonly Performance[], mostLength = MOST_LENGTH): void {
  expect(results.length).toBeGreaterThan(0);
  for (const { quantity, coverage: held, bias, length, meanSquaredError, meanVariance } of results) {
    const of = JSON.stringify(quantity);
    expect([of, held * RUNS >= LEAST_HELD - 0.5 ? 'covers' : held]).toEqual([of, 'covers']);
    const normal = 2 * normalQuantile(0.975) * Math.sqrt(meanSquaredError);
    expect([of, length < mostLength * normal ? 'short' : length / normal]).toEqual([of, 'short']);
    expect([of, Math.abs(bias) < 6 ? 'unbiased' : bias]).toEqual([of, 'unbiased']);
    const ratio = meanVariance / meanSquaredError;
    const [low = NaN, high = NaN] = VARIANCE_RATIOS;
    expect([of, ratio > low && ratio < high ? 'variance' : ratio]).toEqual([of, 'variance']);
  }
}

const flexible = {
  max_event_level_reports: 3,
  trigger_specs: [
    { trigger_data: [0, 1], summary_operator: 'value_sum', summary_buckets: [5, 10, 100] },
    { trigger_data: [2], event_report_windows: { end_times: [86_400] } },
  ],
  event_report_windows: { end_times: [86_400, 172_800] },
};

/** One source in five has the next of these states. */
const states = (count: number, sources: number): ReadonlyMap<number, number> =>
  new Map([
    [0, sources - Math.floor(sources / 5)],
    ...Array.from({ length: count }, (_, index): [number, number] => [
      index * 7 + 1,
      Math.floor(sources / 5 / count),
    ]),
  ]);

describe('randomized response over states', () => {
  test.each<[string, Configuration, ReadonlyMap<number, number>, readonly Quantity['kind'][]]>([
    [
      'a view at ε = 1',
      configurationOf({}, 'event', 1),
      new Map([
        [0, 250],
        [1, 40],
        [2, 10],
      ]),
      ['conversion-rate', 'trigger-data', 'window'],
    ],
    [
      'a view at ε = 4',
      configurationOf({}, 'event', 4),
      new Map([
        [0, 250],
        [1, 40],
        [2, 10],
      ]),
      ['conversion-rate', 'trigger-data', 'window'],
    ],
    [
      'a click at ε = 8',
      configurationOf({}, 'navigation', 8),
      states(20, 400),
      ['conversion-rate', 'conversions'],
    ],
    [
      'a flexible click at ε = 3',
      configurationOf(flexible, 'navigation', 3),
      states(5, 300),
      ['bucket', 'value'],
    ],
  ])('%s', (_, configuration, truths, quantities) => {
    expectHonest(
      perform(configuration, truths, truthsOf(configuration, truths), { ...NOISE, runs: RUNS, quantities }),
    );
  });

  test('a click at ε = 3, whose noise is 150 times what is left of the truth', () => {
    const configuration = configurationOf({}, 'navigation', 3);
    const truths = states(20, 400);
    const quantities = ['conversion-rate', 'window'] as const;
    expectHonest(
      perform(configuration, truths, truthsOf(configuration, truths), { ...NOISE, runs: RUNS, quantities }),
    );
  });

  test('rare noise is covered as well', () => {
    // Some 2.4 replaced sources a run: intervals are lists of a few whole numbers, and longer than normal ones.
    const click = configurationOf({}, 'navigation', 14);
    const truths = states(20, 1000);
    const quantities = ['conversion-rate', 'trigger-data'] as const;
    expectHonest(perform(click, truths, truthsOf(click, truths), { ...NOISE, runs: RUNS, quantities }), 3);
  });

  test('next to no noise leaves a point, and nearly always the truth', () => {
    const view = configurationOf({}, 'event', 14);
    const estimator = estimatorOf(view);
    expect(estimator.replaceProbability).toBeCloseTo(0.0000025, 7);
    const { estimate, interval } = estimator.estimate(
      { kind: 'state', state: '1' },
      new Map([
        ['0', 963],
        ['1', 37],
      ]),
      NOISE,
    );
    expect(estimate).toBeCloseTo(37, 2);
    expect(interval).toEqual([37, 37]);
  });
});

describe('randomized response with a prior over states', () => {
  const truths = new Map([
    [0, 240],
    [1, 40],
    [2, 20],
  ]);

  test.each([2, 2.5])('a view at ε = %s', (epsilon) => {
    const mechanism = { kind: 'rr-with-prior', prior: ['0.4', '0.3', '0.3'] } as const;
    const configuration = configurationOf({}, 'event', epsilon, mechanism);
    const quantities = ['conversion-rate', 'trigger-data', 'window', 'state'] as const;
    expect(estimatorOf(configuration).hidden).toEqual([]);
    expectHonest(
      perform(configuration, truths, truthsOf(configuration, truths), { ...NOISE, runs: RUNS, quantities }),
    );
  });
});

/** Of views with some of the three outputs, for every true count. */
function coverageOfCounts(
  sources: number,
  epsilon: number,
  quantity: Quantity = { kind: 'state', state: '1' },
  outputs = 1,
): readonly number[] {
  const estimator = estimatorOf(configurationOf({}, 'event', epsilon));
  const { keep } = responseRates(3, epsilonOf(epsilon));
  const intervals = Array.from(
    { length: sources + 1 },
    (_, observed) =>
      estimator.estimate(
        quantity,
        new Map([
          ['0', sources - observed],
          ['1', observed],
        ]),
        NOISE,
      ).interval,
  );
  const arises = ((1 - keep) * outputs) / 3;
  return exactCoverage(intervals, { stays: keep + arises, arises });
}

test.each([1, 2, 4, 6, 8, 14])(
  'the exact coverage of a count at ε = %s is hardly ever much below the level, and not on average',
  (epsilon) => {
    const coverage = coverageOfCounts(60, epsilon);
    expect(Math.min(...coverage)).toBeGreaterThan(0.92);
    const mean = coverage.reduce((a, b) => a + b, 0) / coverage.length;
    expect(mean).toBeGreaterThan(0.95);
    if (epsilon <= 2) expect(mean).toBeLessThan(0.97);
  },
);

test('the exact coverage of the total where one of two groups of 100 impressions converts is that of the page', () => {
  const coverage = coverageOfCounts(200, 2, { kind: 'conversions' }, 2)[100] ?? NaN;
  expect(coverage).toBeCloseTo(0.949, 3);
});

test('the exact coverage of the share that converts, 200 of 2,000 clicks at ε = 8, is that of the page', () => {
  const click = configurationOf({}, 'navigation', 8);
  const estimator = estimatorOf(click);
  const { keep } = responseRates(2925, epsilonOf(8));
  const arises = (1 - keep) * (1 - 1 / 2925);
  const chances = new Array<number>(2001).fill(0);
  const others = binomialProbabilities(1800, arises);
  binomialProbabilities(200, keep + arises).forEach((own, kept) =>
    others.forEach((other, made) => (chances[kept + made] = (chances[kept + made] ?? 0) + own * other)),
  );
  let held = 0;
  chances.forEach((chance, observed) => {
    if (chance < 1e-8) return;
    const tally = new Map([
      ['0', 2000 - observed],
      ['1', observed],
    ]);
    const [low, high] = estimator.estimate({ kind: 'conversion-rate' }, tally, NOISE).interval;
    if (low - 1e-12 <= 0.1 && 0.1 <= high + 1e-12) held += chance;
  });
  expect((100 * held).toFixed(1)).toBe('95.0');
});

describe('mechanisms over values', () => {
  const values = [0, 1, 5, 20];
  const prior = ['0.4', '0.3', '0.2', '0.1'];
  const truths = new Map([
    [0, 180],
    [1, 60],
    [2, 30],
    [3, 30],
  ]);
  const countOf = (wanted: (value: number) => boolean): number =>
    values.reduce((sum, value, index) => sum + (wanted(value) ? (truths.get(index) ?? 0) : 0), 0);
  const sum = values.reduce((total, value, index) => total + value * (truths.get(index) ?? 0), 0);
  /** @param possible how many values can be an output. */
  const truthOf =
    (possible: number) =>
    (quantity: Quantity): number => {
      const { kind } = quantity;
      if (kind === 'label') return countOf((value) => value === quantity.value);
      if (kind === 'label-with-share')
        return countOf((value) => value === quantity.value) + countOf((value) => value === 20) / possible;
      if (kind === 'bin') return countOf((value) => quantity.values.includes(value));
      if (kind === 'label-sum') return sum;
      throw new Error(`there is no ${kind} here`);
    };

  test.each<[string, Configuration['mechanism'], number, number, readonly Quantity['kind'][]]>([
    [
      'with a prior, all values possible',
      { kind: 'rr-with-prior', values, prior },
      4,
      4,
      ['label', 'label-sum'],
    ],
    [
      'with a prior, one value impossible',
      { kind: 'rr-with-prior', values, prior },
      1,
      3,
      ['label-with-share'],
    ],
    ['on bins', { kind: 'rr-on-bins', values, prior, loss: 'squared' }, 2, 4, ['bin']],
    [
      'on bins of one value each',
      { kind: 'rr-on-bins', values, prior, loss: 'squared' },
      5.5,
      4,
      ['label-sum'],
    ],
    ['unbiased at ε = 1', { kind: 'unbiased', values, prior }, 1, 4, ['label-sum']],
    ['unbiased at ε = 3', { kind: 'unbiased', values, prior }, 3, 4, ['label', 'label-sum']],
  ])('%s', (_, mechanism, epsilon, possible, quantities) => {
    const configuration = configurationOf({}, 'event', epsilon, mechanism);
    expectHonest(perform(configuration, truths, truthOf(possible), { ...NOISE, runs: RUNS, quantities }));
  });

  test('what a prior hides is said, and has no estimate', () => {
    const estimator = estimatorOf(configurationOf({}, 'event', 1, { kind: 'rr-with-prior', values, prior }));
    expect(estimator.hidden).toEqual([{ kind: 'label-sum' }]);
    expect(() => estimator.estimate({ kind: 'label-sum' }, new Map([['0', 1]]), NOISE)).toThrow(
      'there is no estimate without bias of {"kind":"label-sum"}',
    );
  });

  test('the sum over bins takes each value as the mean of its bin', () => {
    const configuration = configurationOf({}, 'event', 2, {
      kind: 'rr-on-bins',
      values,
      prior,
      loss: 'squared',
    });
    const estimator = estimatorOf(configuration);
    const bins = estimator.quantities.flatMap((quantity) =>
      quantity.kind === 'bin' ? [quantity.values] : [],
    );
    expect(bins).toEqual([[0, 1], [5], [20]]);
    const tally = new Map([
      ['0', 50],
      ['1', 30],
      ['2', 20],
    ]);
    const counts = bins.map((bin) => estimator.estimate({ kind: 'bin', values: bin }, tally, NOISE).estimate);
    const [low = NaN, middle = NaN, high = NaN] = counts;
    expect(estimator.estimate({ kind: 'binned-sum' }, tally, NOISE).estimate).toBeCloseTo(
      low * (0.3 / 0.7) + middle * 5 + high * 20,
      8,
    );
  });
});

test('when users are sampled as well, intervals hold what is expected of a user', () => {
  // Truths drawn anew in each run: sources of random users.
  const configuration = configurationOf({}, 'event', 2);
  const estimator = estimatorOf(configuration);
  const quantity: Quantity = { kind: 'state', state: '1' };
  const options: EstimateOptions = { level: 0.95, randomness: 'noise-and-sampling' };
  const { keep } = responseRates(3, epsilonOf(2));
  // With probability 0.1 the truth is state 1; the observed state then is binomial.
  const chance = 0.1 * keep + (1 - keep) / 3;
  let covered = 0;
  binomialProbabilities(200, chance).forEach((p, observed) => {
    if (p < 1e-12) return;
    const tally = new Map([
      ['0', 200 - observed],
      ['1', observed],
    ]);
    const [low, high] = estimator.estimate(quantity, tally, options).interval;
    if (low <= 20 && 20 <= high) covered += p;
  });
  expect(covered).toBeGreaterThan(0.94);
  expect(covered).toBeLessThan(0.96);
});
