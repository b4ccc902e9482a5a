import fc from 'fast-check';
import type { Configuration } from '../../../analysis/estimate/quantities/configuration';
import { estimatorOf } from '../../../analysis/estimate/unbiased/estimator-of';
import type { OutputCounts } from '../../../analysis/estimate/unbiased/response-estimate';
import { lowerTailBound } from '../../../analysis/estimate/unbiased/shortfall';
import { seededRandomSource } from '../../../analysis/random/sources';
import { configurationOf, drawTally, samplerOf } from '../helpers/estimates';

/** The probabilities that a binomial number is at most 0, 1, 2 … */
function lowerTails(trials: number, chance: number): readonly number[] {
  let distribution = [1];
  for (let trial = 0; trial < trials; trial++)
    distribution = [...distribution, 0].map(
      (p, index) => p * (1 - chance) + (distribution[index - 1] ?? 0) * chance,
    );
  let sum = 0;
  return distribution.map((p) => (sum += p));
}

test('the bound is never below the probability, and near enough to be of use', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 120 }),
      fc.double({ min: 0.001, max: 1, noNaN: true }),
      (trials, chance) => {
        lowerTails(trials, chance).forEach((tail, count) => {
          const bound = Math.exp(lowerTailBound(trials, chance, count));
          expect(bound).toBeGreaterThanOrEqual(tail * (1 - 1e-9));
          // Of the order of the probability at this count alone (Cover & Thomas 2006, theorem 11.1.4).
          if (count < trials * chance && tail > 1e-200)
            expect(bound).toBeLessThanOrEqual((trials + 1) * tail * (1 + 1e-9));
        });
      },
    ),
    { seed: 3, numRuns: 100 },
  );
});

test.each([
  [40, 1],
  [2000, 1],
  [2000, 4],
])(
  'of %d sources at ε = %d without a conversion, complete logs warn with less than 1e-6',
  (sources, epsilon) => {
    const estimator = estimatorOf(configurationOf({}, 'event', epsilon));
    const replaced = 3 / (2 + Math.exp(epsilon));
    const warned = lowerTails(sources, (replaced * 2) / 3).filter((_, reports) => {
      const tally = new Map([
        ['0', sources - reports],
        ['1', reports],
      ]);
      return estimator.shortfall(tally) !== null;
    });
    expect(warned.at(-1) ?? 0).toBeLessThan(1e-6);
    // There is a warning when more than five in eight of the reports that noise adds are lost.
    if (sources > 40) expect(warned.length).toBeGreaterThan((sources * replaced) / 4);
  },
);

/** Default clicks, three reports at most, one source in ten with a conversion. */
const SOURCES = 3000;
const truths = new Map([
  [0, SOURCES * 0.9],
  [1, SOURCES * 0.1],
]);

/** The reports that remain when browsers did not keep one source in ten. */
function withoutSome(tally: OutputCounts, run: number): OutputCounts {
  const random = seededRandomSource('not kept', run);
  const left = new Map<string, number>();
  for (const [output, count] of tally)
    for (let source = 0; source < count; source++) {
      const state = random.uint64() % 10n === 0n ? '0' : output;
      left.set(state, (left.get(state) ?? 0) + 1);
    }
  return left;
}

describe.each<[string, Configuration]>([
  ['randomized response', configurationOf({}, 'navigation', 3)],
  [
    'with a prior',
    configurationOf({ max_event_level_reports: 1 }, 'navigation', 2, {
      kind: 'rr-with-prior',
      prior: ['0.04', ...Array.from({ length: 24 }, () => '0.04')],
    }),
  ],
])('%s', (_, configuration) => {
  const estimator = estimatorOf(configuration);
  const sample = samplerOf(configuration);
  const runs = Array.from({ length: 20 }, (__, run) =>
    drawTally(sample, truths, seededRandomSource('shortfall', run)),
  );

  // 20 runs with an error probability of 1e-6 each, and fixed seeds.
  test('does not warn when all is there', () => {
    expect(runs.map((tally) => estimator.shortfall(tally))).toEqual(runs.map(() => null));
  });

  test('warns when one source in ten was not kept', () => {
    for (const [run, tally] of runs.entries()) {
      const left = withoutSome(tally, run);
      const shortfall = estimator.shortfall(left);
      expect(shortfall).not.toBeNull();
      const { expected = NaN, observed = NaN } = shortfall ?? {};
      expect(observed).toBeLessThan(expected);
    }
  });
});

test('what is not kept lowers an estimate by p·c̄/(1 − p) for each source, what does not arrive by 1/(1 − p) for each report', () => {
  const estimator = estimatorOf(configurationOf({}, 'event', 2));
  const p = 3 / (2 + Math.exp(2));
  const estimate = (none: number, one: number): number =>
    estimator.estimate(
      { kind: 'conversions' },
      new Map([
        ['0', none],
        ['1', one],
      ]),
      { level: 0.95, randomness: 'noise' },
    ).estimate;
  expect(estimate(800, 200) - estimate(801, 199)).toBeCloseTo(1 / (1 - p), 9);
  // c̄ = 2/3: two of three outputs have a report.
  expect(estimate(800, 200) - estimate(801, 200)).toBeCloseTo((p * (2 / 3)) / (1 - p), 9);
});
