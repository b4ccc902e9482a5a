import fc from 'fast-check';
import { analyse } from '../../analysis/estimate/analysis';
import type { Configuration } from '../../analysis/estimate/configuration';
import { bringToSum, fitSums, neverRising, type SumEstimate } from '../../analysis/estimate/least-squares';
import type { Quantity } from '../../analysis/estimate/quantities';
import { seededRandomSource } from '../../src/privacy/random-source';
import { countStates } from '../../src/states/report-space';
import { shapeOf, triggerDataOf } from '../../src/states/source-space';
import { configurationOf, drawTally, samplerOf } from './helpers/estimates';

const number = fc.integer({ min: -100, max: 100 });
const variance = fc.integer({ min: 1, max: 50 });
const MOST = 60;

test('a fit of sums is the best within its bounds: no unknown can change alone, or pay off together, for the better', () => {
  const sums = fc.array(
    fc.record({
      of: fc.uniqueArray(fc.integer({ min: 0, max: 4 }), { minLength: 1 }),
      estimate: number,
      variance,
    }),
    { minLength: 1, maxLength: 8 },
  );
  fc.assert(
    fc.property(sums, (given) => {
      // Each unknown by itself, so that the best is unique.
      const all: SumEstimate[] = [
        ...given,
        ...[0, 1, 2, 3, 4].map((of) => ({ of: [of], estimate: 5, variance: 9 })),
      ];
      const values = fitSums(all, [MOST, MOST, MOST, MOST, MOST]);
      // Karush, Kuhn & Tucker: the slope is 0 inside, not negative at 0, not positive at the most.
      values.forEach((value, unknown) => {
        const slope = all.reduce(
          (total, sum) =>
            sum.of.includes(unknown)
              ? total + (sum.of.reduce((a, b) => a + (values[b] ?? 0), 0) - sum.estimate) / sum.variance
              : total,
          0,
        );
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(MOST);
        if (value > 0) expect(slope).toBeLessThan(1e-6);
        if (value < MOST) expect(slope).toBeGreaterThan(-1e-6);
      });
    }),
    { numRuns: 300 },
  );
});

test('parts brought to a sum have it, and give way by their variances', () => {
  const parts = fc.array(fc.record({ estimate: number, variance, most: fc.constant(MOST) }), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(parts, fc.integer({ min: 0, max: 300 }), (given, wanted) => {
      const values = bringToSum(given, wanted);
      const sum = Math.min(wanted, MOST * given.length);
      expect(values.reduce((a, b) => a + b, 0)).toBeCloseTo(sum, 6);
      const gives = values.flatMap((value, index) => {
        const part = given[index];
        return part === undefined || value <= 0 || value >= MOST
          ? []
          : [(part.estimate - value) / part.variance];
      });
      for (const give of gives) expect(give).toBeCloseTo(gives[0] ?? NaN, 6);
    }),
    { numRuns: 300 },
  );
});

test.each([
  [
    [3, 2, 1],
    [3, 2, 1],
  ],
  [
    [1, 3],
    [2, 2],
  ],
  [
    [5, 1, 3, 2],
    [5, 2, 2, 2],
  ],
  [[], []],
])('%p never rising is %p', (values, expected) => {
  expect(neverRising(values)).toEqual(expected);
});

describe('estimates of groups', () => {
  const configuration = configurationOf(
    {
      trigger_specs: [{ trigger_data: [0, 1], summary_buckets: [5, 10] }],
      event_report_windows: { end_times: [3600, 86_400] },
    },
    'navigation',
    2,
  );
  const sample = samplerOf(configuration);
  const groups = ['a', 'b'].flatMap((campaign) =>
    ['x', 'y'].map((creative, index) => ({
      group: [campaign, creative],
      tally: drawTally(
        sample,
        new Map([
          [0, 90],
          [3, 10],
        ]),
        seededRandomSource(campaign, index),
      ),
    })),
  );
  const options = { level: 0.95, randomness: 'noise', consistent: true, singles: false } as const;
  const analysed = analyse({ name: 'c', configuration, groups }, options).groups;
  const of = (group: readonly string[], matches: (quantity: Quantity) => boolean): number => {
    const found = analysed.find((candidate) => JSON.stringify(candidate.group) === JSON.stringify(group));
    const estimates = found?.estimates.filter(({ quantity }) => matches(quantity)) ?? [];
    expect(estimates.length).toBeGreaterThan(0);
    return estimates.reduce((sum, { consistent }) => sum + (consistent ?? NaN), 0);
  };
  const kind =
    (wanted: Quantity['kind']) =>
    (quantity: Quantity): boolean =>
      quantity.kind === wanted;

  test('come as all, by campaign, and by creative', () => {
    expect(analysed.map(({ group, sources }) => [group.join('/'), sources])).toEqual([
      ['', 400],
      ['a', 200],
      ['b', 200],
      ['a/x', 100],
      ['a/y', 100],
      ['b/x', 100],
      ['b/y', 100],
    ]);
  });

  test('add up over groups and over parts, and none is negative', () => {
    for (const { estimates } of analysed)
      for (const { consistent } of estimates) expect(consistent).toBeGreaterThanOrEqual(0);
    for (const quantity of ['conversions', 'value'] as const) {
      expect(of(['a'], kind(quantity)) + of(['b'], kind(quantity))).toBeCloseTo(of([], kind(quantity)), 6);
      expect(of(['a', 'x'], kind(quantity)) + of(['a', 'y'], kind(quantity))).toBeCloseTo(
        of(['a'], kind(quantity)),
        6,
      );
    }
    for (const { group } of analysed)
      for (const parts of ['trigger-data', 'window', 'trigger-data-and-window', 'bucket'] as const)
        expect(of(group, kind(parts))).toBeCloseTo(of(group, kind('conversions')), 6);
  });

  test('some estimates were negative before, or this would prove nothing', () => {
    const raw = analysed.flatMap(({ estimates }) => estimates.map(({ estimate }) => estimate.estimate));
    expect(Math.min(...raw)).toBeLessThan(0);
  });
});

const bounded: readonly [string, Configuration][] = [
  ['views', configurationOf({ event_report_windows: { end_times: [3600, 86_400] } }, 'event', 0.5)],
  ['clicks of two trigger data', configurationOf({ trigger_data: [0, 1] }, 'navigation', 1)],
  [
    'buckets',
    configurationOf(
      {
        max_event_level_reports: 3,
        trigger_specs: [
          { trigger_data: [0], summary_buckets: [5, 10] },
          { trigger_data: [1], summary_buckets: [1] },
        ],
        event_report_windows: { end_times: [3600, 86_400] },
      },
      'navigation',
      1,
    ),
  ],
];

test.each(bounded)(
  '%s: no group has more than its sources can have, whatever was observed',
  (_, configuration) => {
    const { shape } = configuration;
    const maximum = shape.maxEventLevelReports;
    const states = Number(countStates(shapeOf(shape)));
    const tally = fc
      .array(fc.tuple(fc.integer({ min: 0, max: states - 1 }), fc.integer({ min: 1, max: 30 })), {
        minLength: 1,
        maxLength: 4,
      })
      .map((counts) => new Map(counts.map(([state, count]) => [String(state), count])));
    fc.assert(
      fc.property(tally, tally, tally, (...tallies) => {
        const groups = tallies.map((of, index) => ({
          group: [index < 2 ? 'a' : 'b', String(index)],
          tally: of,
        }));
        const options = { level: 0.5, randomness: 'noise', consistent: true, singles: false } as const;
        for (const { sources, estimates } of analyse({ name: '', configuration, groups }, options).groups) {
          const slack = 1e-6 * sources;
          const numbers = (kind: Quantity['kind'], data: number | null = null): readonly number[] =>
            estimates.flatMap(({ quantity, consistent }) =>
              quantity.kind === kind &&
              (data === null || ('triggerData' in quantity && quantity.triggerData === data))
                ? [consistent ?? NaN]
                : [],
            );
          const [conversions = NaN] = numbers('conversions');
          const converted = (numbers('conversion-rate')[0] ?? NaN) * sources;
          expect(conversions).toBeLessThanOrEqual(maximum * sources + slack);
          expect(converted).toBeLessThanOrEqual(Math.min(conversions, sources) + slack);
          expect(conversions).toBeLessThanOrEqual(maximum * converted + slack);
          for (const { triggerData, spec } of triggerDataOf(shape)) {
            const [own = NaN] = numbers('trigger-data', triggerData);
            expect(own).toBeLessThanOrEqual(
              Math.min(spec.summaryBuckets.length, maximum) * converted + slack,
            );
            const buckets = numbers('bucket', triggerData);
            for (const reached of buckets) expect(reached).toBeLessThanOrEqual(converted + slack);
            if (shape.flexible) expect(buckets.reduce((a, b) => a + b, 0)).toBeCloseTo(own, 5);
          }
          for (const kind of ['trigger-data', 'window', 'trigger-data-and-window'] as const)
            expect(numbers(kind).reduce((a, b) => a + b, 0)).toBeCloseTo(conversions, 5);
        }
      }),
      { seed: 11, numRuns: 60 },
    );
  },
  120_000,
);
