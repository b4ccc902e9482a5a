import fc from 'fast-check';
import { responseRates } from '../../../analysis/estimate/intervals/channel';
import { estimatorOf } from '../../../analysis/estimate/unbiased/estimator-of';
import type { OutputShape } from '../../../analysis/estimate/quantities/quantities';
import { StateMeasures } from '../../../analysis/estimate/quantities/state-measures';
import { days, epsilon, milliseconds, seconds } from '../../../src/model/units';
import { configurationOf } from '../helpers/estimates';
import { worded } from '../helpers/throws';

const spec = fc.record({
  windows: fc.integer({ min: 1, max: 3 }),
  buckets: fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 3 }),
});

/** Small report spaces, so that all their states can be listed. */
const shapes: fc.Arbitrary<OutputShape> = fc
  .record({
    specs: fc.array(spec, { minLength: 1, maxLength: 3 }),
    maxReports: fc.integer({ min: 0, max: 4 }),
  })
  .map(({ specs, maxReports }) => ({
    maxEventLevelReports: maxReports,
    flexible: true,
    triggerSpecs: specs.map(({ windows, buckets }, index) => ({
      triggerData: [index],
      windows: {
        start: milliseconds(0),
        ends: Array.from({ length: windows }, (_, window) => days(window + 1)),
      },
      summaryOperator: 'value_sum' as const,
      summaryBuckets: [...buckets].sort((a, b) => a - b),
    })),
  }));

test('mean and variance over all states are those of listing the states', () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      const measures = new StateMeasures(shape);
      const count = Number(measures.states);
      for (const quantity of [...measures.all, { kind: 'state', state: '0' } as const]) {
        const { adds, mean, spread, shares } = measures.measure(quantity);
        const values = Array.from({ length: count }, (_, state) => adds(String(state)));
        const listedMean = values.reduce((a, b) => a + b, 0) / count;
        expect(mean).toBeCloseTo(listedMean, 9);
        expect(spread).toBeCloseTo(
          values.reduce((sum, value) => sum + (value - listedMean) ** 2, 0) / count,
          6,
        );
        for (const [value, share] of shares ?? [])
          expect(share).toBeCloseTo(values.filter((other) => other === value).length / count, 9);
      }
    }),
    { numRuns: 100 },
  );
});

test('parts add up, for every state', () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      const measures = new StateMeasures(shape);
      const byKind = (kind: string): ReturnType<StateMeasures['measure']>[] =>
        measures.all
          .filter((quantity) => quantity.kind === kind)
          .map((quantity) => measures.measure(quantity));
      const all = measures.measure({ kind: 'conversions' });
      for (let state = 0n; state < measures.states; state++)
        for (const kind of ['trigger-data', 'window', 'trigger-data-and-window', 'bucket']) {
          const parts = byKind(kind).reduce((sum, { adds }) => sum + adds(String(state)), 0);
          expect(parts).toBe(all.adds(String(state)));
        }
    }),
    { numRuns: 30 },
  );
});

test('a value is where the highest bucket that was reached begins', () => {
  const { shape } = configurationOf(
    { trigger_specs: [{ trigger_data: [0], summary_buckets: [5, 10, 100] }], event_report_window: 86_400 },
    'navigation',
    1,
  );
  const measure = new StateMeasures(shape).measure({ kind: 'value' });
  expect(['0', '1', '2', '3'].map(measure.adds)).toEqual([0, 5, 10, 100]);
});

test('a configuration with 27 digits of states is no slower to count in', () => {
  const shape: OutputShape = {
    maxEventLevelReports: 20,
    flexible: false,
    triggerSpecs: [
      {
        triggerData: Array.from({ length: 32 }, (_, index) => index),
        windows: { start: seconds(0), ends: [1, 2, 3, 4, 5].map(days) },
        summaryOperator: 'count',
        summaryBuckets: Array.from({ length: 20 }, (_, index) => index + 1),
      },
    ],
  };
  const measures = new StateMeasures(shape);
  expect(measures.states).toBe(175142105857592248012292655n);
  // Nearly all states have all 20 reports, shared out evenly.
  const total = measures.measure({ kind: 'conversions' });
  expect(total.mean).toBeGreaterThan(19.8);
  expect(measures.measure({ kind: 'trigger-data', triggerData: 31 }).mean).toBeCloseTo(total.mean / 32, 9);
});

// field.md of the explainer's noise corrector: (v − n·p/k)/(1 − p), with the variance [t·a(1 − a) + (n − t)·b(1 − b)]/(1 − p)².
test('the count of a state is that of the published formula, and so is the mean of its variance', () => {
  const estimator = estimatorOf(configurationOf({}, 'event', 2));
  const { keep } = responseRates(3, epsilon(2));
  const replaced = 1 - keep;
  const [sources, truth] = [1000, 70];
  const quantity = { kind: 'state', state: '2' } as const;
  const at = (observed: number): ReturnType<typeof estimator.estimate> =>
    estimator.estimate(
      quantity,
      new Map([
        ['0', sources - observed],
        ['2', observed],
      ]),
      {
        level: 0.95,
        randomness: 'noise',
      },
    );
  expect(at(200).estimate).toBeCloseTo((200 - (sources * replaced) / 3) / keep, 9);
  // The variance is linear in what is observed, so that its mean is its value at the mean.
  const [a, b] = [keep + replaced / 3, replaced / 3];
  const [low, high] = [at(200).variance, at(300).variance];
  const meanObserved = truth * a + (sources - truth) * b;
  const expected = (truth * a * (1 - a) + (sources - truth) * b * (1 - b)) / keep ** 2;
  expect(low + ((high - low) * (meanObserved - 200)) / 100).toBeCloseTo(expected, 8);
});

test('ε = 0 is refused: outputs are noise alone', () => {
  expect(worded(() => estimatorOf(configurationOf({}, 'event', 0)))).toThrow(
    'epsilon must be greater than 0',
  );
});
