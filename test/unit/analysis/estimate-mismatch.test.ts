import { analyse, type Analysis } from '../../../analysis/estimate/result/analysis';
import type { Configuration } from '../../../analysis/estimate/quantities/configuration';
import type { OutputCounts } from '../../../analysis/estimate/unbiased/response-estimate';
import { comparedTotals, notesOf } from '../../../analysis/estimate/result/comparison';
import { mergeTallies } from '../../../analysis/estimate/unbiased/tally';
import { seededRandomSource } from '../../../analysis/random/sources';
import { configurationOf, drawTally, samplerOf } from '../helpers/estimates';

const OPTIONS = { level: 0.95, randomness: 'noise', likelihood: false, singles: false } as const;

const analysed = (configuration: Configuration, groups: Readonly<Record<string, OutputCounts>>): Analysis =>
  analyse(
    { configuration, groups: Object.entries(groups).map(([name, tally]) => ({ group: [name], tally })) },
    OPTIONS,
  );

const tallyOf = (counts: Readonly<Record<string, number>>): OutputCounts => new Map(Object.entries(counts));

/** Replaces a source with probability 0.15. */
const impressions = configurationOf({}, 'event', Math.log(18));
const values = ['0', '1', '2', '5'];
const prior = ['0.4', '0.3', '0.2', '0.1'];
const clicks = configurationOf({}, 'navigation', 3);

test('refuses more conversions than noise leaves possible, before any number', () => {
  // 0.15 of 2,000 sources are replaced, a third of them by no report. Without this test: 2,105 of 2,000, interval [2000, 2000].
  const { mismatches, shortfall, groups } = analysed(impressions, { a: tallyOf({ 1: 1000, 2: 1000 }) });
  expect(mismatches).toMatchObject([
    { group: ['a'], about: 'reports', side: 'at-most', value: 0, observed: 0 },
  ]);
  expect(mismatches[0]?.expected).toBeCloseTo(100, 9);
  expect(shortfall).toBeNull();
  for (const { estimates } of groups)
    for (const { estimate, likelihood } of estimates) {
      expect([estimate.estimate, estimate.variance, ...estimate.interval]).toEqual([NaN, NaN, NaN, NaN]);
      expect(likelihood).toBeNull();
    }
});

test('refuses trigger data that noise alone would give, and that no report has', () => {
  const { mismatches } = analysed(impressions, { a: tallyOf({ 0: 1000, 2: 1000 }) });
  expect(mismatches).toMatchObject([{ about: 'trigger-data', which: 1, side: 'at-least', value: 1 }]);
});

test('refuses only the groups with such outputs, and what they are part of', () => {
  const sample = samplerOf(impressions);
  const right = drawTally(
    sample,
    new Map([
      [0, 3000],
      [1, 500],
    ]),
    seededRandomSource('right', 1),
  );
  const { mismatches, groups } = analysed(impressions, { forged: tallyOf({ 1: 300, 2: 300 }), right });
  expect(mismatches.map(({ group }) => group)).toEqual([['forged']]);
  const estimates = groups.map(({ group, estimates }) => [group, estimates[1]?.estimate.estimate]);
  expect(estimates).toEqual([
    [[], NaN],
    [['forged'], NaN],
    [['right'], expect.closeTo(500, -2)],
  ]);
});

test('a group with an estimate has no rank if others are refused, and is not said to lack an interval', () => {
  const noise = tallyOf({ 0: 1000, 1: 60, 2: 60 });
  const groups = { forged: tallyOf({ 1: 300, 2: 300 }), a: noise, b: noise };
  const tally = {
    ...{ name: 'impressions', given: null, configuration: impressions },
    groups: Object.entries(groups).map(([name, counts]) => ({ group: [name], tally: counts })),
  };
  const totals = comparedTotals([{ tally, analysis: analysed(impressions, groups) }], 0.95).filter(
    ({ group }) => group.length === 1,
  );
  expect(
    totals.map(({ rank, unranked, estimates }) => [rank, unranked, estimates[0]?.estimate.interval]),
  ).toEqual([
    [null, 'others', [0, expect.closeTo(0.028, 3)]],
    [null, 'others', [0, expect.closeTo(0.028, 3)]],
    [null, 'unsure', [NaN, NaN]],
  ]);
  expect(totals.flatMap((one) => notesOf(one, totals))).toEqual(
    ['others', 'others', 'unsure'].map((why) => ({ id: `unranked-${why}` })),
  );
});

test('refuses all groups when only all together are too much', () => {
  const names = Array.from({ length: 100 }, (_, number) => String(number));
  const { mismatches, groups } = analysed(
    impressions,
    Object.fromEntries(names.map((name) => [name, tallyOf({ 1: 10, 2: 10 })])),
  );
  expect(mismatches.map(({ group }) => group)).toEqual([[]]);
  expect(groups.every(({ estimates }) => Number.isNaN(estimates[0]?.estimate.estimate))).toBe(true);
});

test('calls lost reports lost, not impossible', () => {
  const sample = samplerOf(clicks);
  const tally = drawTally(
    sample,
    new Map([
      [0, 9000],
      [1, 1000],
    ]),
    seededRandomSource('lost', 1),
  );
  const lost = mergeTallies(
    [...tally].map(([output, count]) => {
      const kept = Math.round(count * 0.8);
      return new Map([
        [output, kept],
        ['0', count - kept],
      ]);
    }),
  );
  const { shortfall, mismatches } = analysed(clicks, { a: lost });
  expect(shortfall).not.toBeNull();
  expect(mismatches).toEqual([]);
});

const mechanisms: readonly [string, Configuration, number][] = [
  ['rr, impressions', impressions, 3],
  ['rr, clicks', clicks, 2925],
  ['rr, clicks with little noise', configurationOf({}, 'navigation', 14), 2925],
  [
    'with a prior over states',
    configurationOf({ max_event_level_reports: 1 }, 'navigation', 2, {
      kind: 'rr-with-prior',
      prior: Array.from({ length: 25 }, () => '0.04'),
    }),
    25,
  ],
  ['with a prior over values', configurationOf({}, 'event', 1, { kind: 'rr-with-prior', values, prior }), 4],
  ['on bins', configurationOf({}, 'event', 1, { kind: 'rr-on-bins', values, prior, loss: 'squared' }), 4],
  ['unbiased', configurationOf({}, 'event', 1, { kind: 'unbiased', values, prior }), 4],
];

describe.each(mechanisms)('%s', (_, configuration, truths) => {
  const sample = samplerOf(configuration);

  // At most one in a million of such logs is refused.
  test.each([20, 300, 5000])('accepts what the noise makes of %d sources, whatever is true', (sources) => {
    for (let run = 0; run < 6; run++) {
      const random = seededRandomSource(`truths ${sources}`, run);
      // One truth for all, or two, or the two ends.
      const one = Number(random.uint64() % BigInt(truths));
      const other = run < 2 ? one : run < 4 ? 0 : truths - 1;
      const truth = new Map([[one, sources]]);
      truth.set(other, (truth.get(other) ?? 0) + sources);
      expect(analysed(configuration, { a: drawTally(sample, truth, random) }).mismatches).toEqual([]);
    }
  });
});

test.each(mechanisms.slice(4))('%s: refuses that nobody has another value', (_, configuration) => {
  const { mismatches } = analysed(configuration, { a: tallyOf({ 1: 3000 }) });
  expect(mismatches).toMatchObject([{ about: 'value', observed: 0 }]);
});
