import fc from 'fast-check';
import { inventedRate, inventedWords, outOf } from '../../extension/pages/explain/invented';
import {
  defaultMeasurement,
  type BudgetSettings,
  type MeasurementSettings,
} from '../../src/model/mechanisms';
import { epsilon } from '../../src/model/units';

const withBudget = (budget: Partial<BudgetSettings>): MeasurementSettings => ({
  ...defaultMeasurement,
  budget: { ...defaultMeasurement.budget, ...budget },
});

/** k / (k − 1 + e^ε), for the 2925 states of a click and the 3 of a view. */
test.each<[string, MeasurementSettings, number, number]>([
  ['no budget, so that ε is 14', defaultMeasurement, 2925 / (2924 + Math.exp(14)), 3 / (2 + Math.exp(14))],
  ['more than an ad may have', withBudget({ epsilon: epsilon(40) }), 0.0024263, 0.0000025],
  ['1.4 for one impression', withBudget({ epsilon: epsilon(1.4) }), 0.99896, 3 / (2 + Math.exp(1.4))],
  ['14 for ten impressions', withBudget({ epsilon: epsilon(14), cap: 10 }), 0.99896, 3 / (2 + Math.exp(1.4))],
  [
    'what attribution leaves of it',
    withBudget({ epsilon: epsilon(3), attributionEpsilon: epsilon(1.6) }),
    0.99896,
    3 / (2 + Math.exp(1.4)),
  ],
  ['nothing left', withBudget({ epsilon: epsilon(1), attributionEpsilon: epsilon(1) }), 1, 1],
])(
  'with %s, the reports of clicked and seen ads are invented that often',
  (_what, measurement, clicked, seen) => {
    expect(inventedRate(measurement, 'navigation')).toBeCloseTo(clicked, 5);
    expect(inventedRate(measurement, 'event')).toBeCloseTo(seen, 5);
  },
);

test.each<[number, string]>([
  [0, 'fewer than 1 of 1000'],
  [0.00099, 'fewer than 1 of 1000'],
  [0.001, 'about 1 of 1000'],
  [0.0024263, 'about 2 of 1000'],
  [0.01, 'about 1 of 100'],
  [0.49541, 'about 50 of 100'],
  [0.99, 'about 99 of 100'],
  [0.99896, 'about 999 of 1000'],
  [0.9991, 'more than 999 of 1000'],
  [1, 'more than 999 of 1000'],
])('a probability of %d is %s', (rate, words) => {
  expect(outOf(rate)).toBe(words);
});

test('what a person counts is within half a step of the probability', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.001, max: 0.999, noNaN: true }), (rate) => {
      const [, n, whole] = /^about (\d+) of (\d+)$/.exec(outOf(rate)) ?? [];
      expect(Math.abs(Number(n) / Number(whole) - rate)).toBeLessThanOrEqual(0.5 / Number(whole) + 1e-12);
    }),
  );
});

test('the words follow the settings', () => {
  expect(inventedWords(defaultMeasurement)).toContain(
    'It makes up the report for about 2 of 1000 ads that you click, and for fewer than 1 of 1000 that you only see.',
  );
  expect(inventedWords(withBudget({ epsilon: epsilon(1.4) }))).toContain(
    'for about 999 of 1000 ads that you click',
  );
});

test.each<MeasurementSettings['labelNoise']>([
  { kind: 'rr-with-prior', prior: [0.9, 0.1] },
  { kind: 'unbiased', values: [0, 1], prior: [0.5, 0.5] },
])('where the mechanism is %j there is no one number', (labelNoise) => {
  expect(inventedWords({ ...defaultMeasurement, labelNoise })).toContain('in some studies for most');
});
