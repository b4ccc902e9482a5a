import fc from 'fast-check';
import type { EstimateResultJson } from '../../analysis/estimate/estimate-result';
import { ranked, rangesOf } from '../../collector/dashboard/client/ranking';

/** A configuration's groups: name, sources, rate and its standard error. */
const configuration = (
  name: string,
  groups: readonly (readonly [group: string, sources: number, rate: number, error: number])[],
): EstimateResultJson['configurations'][number] =>
  ({
    configuration: name,
    groups: [
      { group: {}, sources: 0, estimates: [] },
      ...groups.map(([group, sources, rate, error]) => ({
        group: { campaign: group },
        sources,
        estimates: [
          { quantity: 'conversion-rate', estimate: rate, variance: error ** 2 },
          { quantity: 'conversions', estimate: 2 * sources * rate, variance: 1 },
        ],
      })),
    ],
  }) as unknown as EstimateResultJson['configurations'][number];

const resultOf = (...configurations: EstimateResultJson['configurations']): EstimateResultJson =>
  ({ configurations }) as unknown as EstimateResultJson;

test('ranks groups by rate over all configurations, with what cannot be told apart', () => {
  const result = resultOf(
    configuration('a', [
      ['low', 100, 0.1, 0.01],
      ['high', 100, 0.5, 0.01],
      ['near', 100, 0.12, 0.01],
    ]),
    configuration('b', [['low', 300, 0.2, 0.02]]),
  );
  const truth = {
    groups: [
      { configuration: 'a', group: 'low', conversions: 12, converted: 10 },
      { configuration: 'b', group: 'low', conversions: 70, converted: 60 },
      { configuration: 'other', group: 'low', conversions: 1000, converted: 1000 },
    ],
  };
  const rows = ranked(result, truth);
  expect(rows.map(({ group, alike }) => [group, alike])).toEqual([
    ['high', []],
    ['low', []],
    ['near', []],
  ]);
  // (100 · 0.1 + 300 · 0.2) / 400; the error is √(100² · 0.01² + 300² · 0.02²) / 400.
  expect(rows[1]?.rate.value).toBeCloseTo(0.175, 12);
  expect(rows[1]?.rate.high).toBeCloseTo(0.175 + (1.959964 * Math.sqrt(37)) / 400, 12);
  expect(rows[1]?.conversions.value).toBeCloseTo(140, 12);
  expect(rows[1]?.truth).toEqual({ rate: 70 / 400, conversions: 82 });
  expect(rows[0]?.truth).toEqual({ rate: 0, conversions: 0 });
  const [first] = ranked(resultOf(configuration('a', [['x', 9, 0.5, 1]])), null);
  expect(first?.truth).toBeNull();
});

test('nothing can be told apart without a variance, and being alike is mutual', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 0.3, noNaN: true })),
        {
          minLength: 2,
          maxLength: 8,
        },
      ),
      (groups) => {
        const named = groups.map(([rate, error], index) => [`g${index}`, 10, rate, error] as const);
        const rows = ranked(resultOf(configuration('a', named)), null);
        rows.forEach(({ alike, rate }, index) => {
          for (const other of alike) expect(rows[other - 1]?.alike).toContain(index + 1);
          expect(rate.value).toBeLessThanOrEqual(rows[index - 1]?.rate.value ?? 1);
        });
        const blind = ranked(
          resultOf(
            configuration(
              'a',
              named.map(([g, n, r]) => [g, n, r, Infinity]),
            ),
          ),
          null,
        );
        expect(blind.every(({ alike }) => alike.length === groups.length - 1)).toBe(true);
      },
    ),
    { seed: 20, numRuns: 60 },
  );
});

test.each([
  [[], ''],
  [[3], '3'],
  [[1, 2], '1, 2'],
  [[2, 3, 4, 7], '2–4, 7'],
  [[1, 3, 5, 6, 7], '1, 3, 5–7'],
])('writes %j as "%s"', (numbers, words) => {
  expect(rangesOf(numbers)).toBe(words);
});
