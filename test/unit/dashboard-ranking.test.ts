import fc from 'fast-check';
import type { EstimateResultJson } from '../../analysis/estimate/estimate-result';
import { ranked, rangesOf } from '../../collector/dashboard/client/ranking';

type Groups = readonly (readonly [group: string, sources: number, rate: number, error: number])[];

/** A group with two conversions for each source that has one. */
const groupOf = ([group, sources, rate, error]: Groups[number]): object => ({
  group: { campaign: group },
  sources,
  estimates: [
    {
      quantity: 'conversion-rate',
      estimate: rate,
      variance: error ** 2,
      interval: [rate - error, rate + error],
    },
    { quantity: 'conversions', estimate: 2 * sources * rate, variance: 4, interval: [null, null] },
  ],
});

const all = { group: {}, sources: 0, estimates: [] };

/** Estimates over configurations, each with some groups. */
const resultOf = (
  totals: Groups,
  configurations: Readonly<Record<string, Groups>> = {},
): EstimateResultJson =>
  ({
    configurations: Object.entries(configurations).map(([configuration, groups]) => ({
      configuration,
      groups: [all, ...groups.map(groupOf)],
    })),
    totals: [all, ...totals.map(groupOf)],
  }) as unknown as EstimateResultJson;

test('ranks groups by rate over all configurations, with what cannot be told apart', () => {
  const result = resultOf(
    [
      ['low', 400, 0.175, 0.015],
      ['high', 100, 0.5, 0.01],
      ['near', 100, 0.12, 0.01],
    ],
    { a: [['low', 100, 0.1, 0.01]], b: [['low', 300, 0.2, 0.02]] },
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
  expect(rows[1]?.rate).toEqual({ value: 0.175, low: 0.175 - 0.015, high: 0.175 + 0.015 });
  expect([rows[1]?.conversions, rows[1]?.error]).toEqual([{ value: 140, low: -Infinity, high: Infinity }, 2]);
  expect(rows[1]?.truth).toEqual({ rate: 70 / 400, conversions: 82 });
  expect(rows[0]?.truth).toEqual({ rate: 0, conversions: 0 });
  const [first] = ranked(resultOf([['x', 9, 0.5, 1]]), null);
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
        const rows = ranked(resultOf(named), null);
        rows.forEach(({ alike, rate }, index) => {
          for (const other of alike) expect(rows[other - 1]?.alike).toContain(index + 1);
          expect(rate.value).toBeLessThanOrEqual(rows[index - 1]?.rate.value ?? 1);
        });
        const blind = ranked(resultOf(named.map(([g, n, r]) => [g, n, r, Infinity])), null);
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
