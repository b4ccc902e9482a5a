import { analyse, type AnalysedGroup } from '../../../analysis/estimate/result/analysis';
import { responseRates } from '../../../analysis/estimate/intervals/channel';
import type { Configuration } from '../../../analysis/estimate/quantities/configuration';
import { lostOf } from '../../../analysis/estimate/unbiased/lost-reports';
import type { Estimate } from '../../../analysis/estimate/unbiased/response-estimate';
import { totalsOf as allTotals, type Analysed } from '../../../analysis/estimate/result/totals';
import { seededRandomSource } from '../../../analysis/random/sources';
import { epsilon } from '../../../src/model/units';
import { configurationOf, drawTally, samplerOf } from '../helpers/estimates';

const LEVEL = 0.95;
const OPTIONS = { level: LEVEL, randomness: 'noise', likelihood: false, singles: false } as const;
const totalsOf = (parts: readonly Analysed[]): ReturnType<typeof allTotals> => allTotals(parts, LEVEL);
const SOURCES = 40;
/** A source has one report or none, so that all outputs of a group can be listed. */
const shape = { trigger_data: [0], max_event_level_reports: 1 };

const analysed = (
  type: 'navigation' | 'event',
  loss: number,
  reported: number,
  group = 'spring',
): Analysed => {
  const tally = new Map([
    ['0', SOURCES - reported],
    ['1', reported],
  ]);
  const configuration = configurationOf(
    { ...shape, event_report_windows: { end_times: [86_400] } },
    type,
    loss,
  );
  const counted = { name: type, given: type, configuration, groups: [{ group: [group], tally }] };
  return { tally: counted, analysis: analyse(counted, OPTIONS) };
};

const conversionsOf = (groups: readonly AnalysedGroup[], group: readonly string[]): Estimate | undefined =>
  groups
    .find((one) => one.group.join() === group.join())
    ?.estimates.find(({ quantity }) => quantity.kind === 'conversions')?.estimate;

/** How likely each number of reports is, of sources of which so many converted. */
function chances(converted: number, loss: number): readonly number[] {
  const { keep } = responseRates(2, epsilon(loss));
  const fake = (1 - keep) / 2;
  return Array.from({ length: SOURCES }, (_, source) => (source < converted ? keep + fake : fake)).reduce(
    (known, chance) => [...known, 0].map((p, n) => p * (1 - chance) + (known[n - 1] ?? 0) * chance),
    [1],
  );
}

test('clicks and views of a campaign add up, and so do their variances', () => {
  const [clicks, views] = [analysed('navigation', 2, 12), analysed('event', 1, 9)];
  const totals = totalsOf([clicks, views, analysed('event', 1, 3, 'summer')]);
  expect(totals.map(({ group, sources }) => [group, sources])).toEqual([
    [[], 120],
    [['spring'], 80],
    [['summer'], 40],
  ]);
  const [a, b] = [clicks, views].map(({ analysis: { groups } }) => conversionsOf(groups, ['spring']));
  const sum = conversionsOf(totals, ['spring']);
  expect(sum?.estimate).toBeCloseTo((a?.estimate ?? NaN) + (b?.estimate ?? NaN), 9);
  expect(sum?.variance).toBeCloseTo((a?.variance ?? NaN) + (b?.variance ?? NaN), 9);
  const [rate, conversions] = totals[1]?.estimates ?? [];
  // Each source has at most one report.
  expect(rate?.estimate.estimate).toBeCloseTo((conversions?.estimate.estimate ?? NaN) / 80, 9);
  expect(rate?.estimate.variance).toBeCloseTo((conversions?.estimate.variance ?? NaN) / 80 ** 2, 9);
  // What one configuration has alone stays as it is.
  expect(conversionsOf(totals, ['summer'])).toEqual(
    conversionsOf(analysed('event', 1, 3, 'summer').analysis.groups, ['summer']),
  );
});

/* The exact coverage, over all that two configurations can report. */
test.each([
  ['of ordinary noise', 2, 1, 8, 4],
  ['of little beside much noise', 6, 1, 5, 12],
  ['where nobody converted', 2, 1, 0, 0],
  ['of noise that is rare', 6, 8, 3, 7],
])('the joint interval holds the truth, %s', (_, first, second, ...truths) => {
  const intervals = [first, second].map((loss) =>
    Array.from({ length: SOURCES + 1 }, (__, reported) => analysed('event', loss, reported)),
  );
  const [p = [], q = []] = [first, second].map((loss, index) => chances(truths[index] ?? 0, loss));
  const truth = truths.reduce((sum, one) => sum + one, 0);
  let covered = 0;
  intervals[0]?.forEach((clicks, i) =>
    intervals[1]?.forEach((views, j) => {
      const [low, high] = conversionsOf(totalsOf([clicks, views]), [])?.interval ?? [NaN, NaN];
      expect(low).toBeLessThanOrEqual(high);
      if (low <= truth + 1e-9 && truth - 1e-9 <= high) covered += (p[i] ?? 0) * (q[j] ?? 0);
    }),
  );
  expect(covered).toBeGreaterThan(0.94);
});

test('an error of the share of lost reports that configurations have in common is the same in each of them', () => {
  const { tally } = analysed('event', 2, 12);
  const totalIf = (rate: number, range: readonly [number, number]): Estimate | undefined => {
    const lost = { rate, range, from: 'heartbeats' } as const;
    const one = { tally, analysis: analyse(tally, { ...OPTIONS, lost }) };
    return conversionsOf(totalsOf(Array.from({ length: 20 }, () => one)), []);
  };
  const found = totalIf(0.2, [0.1, 0.3]);
  expect(found?.interval[0]).toBeLessThan(totalIf(0.1, [0.1, 0.1])?.estimate ?? NaN);
  expect(found?.interval[1]).toBeGreaterThan(totalIf(0.3, [0.3, 0.3])?.estimate ?? NaN);
  // Their own errors still cancel out in part: they alone would reach 20 times as far.
  const own = analyse(tally, { ...OPTIONS, lost: { rate: 0.2, range: [0.2, 0.2], from: 'given' } });
  const alone = conversionsOf(own.groups, []);
  const reach = (one: Estimate | undefined): number => (one?.interval[1] ?? NaN) - (one?.estimate ?? NaN);
  expect(reach(found)).toBeLessThan(20 * reach(alone));
});

test('where reports are missing there is no interval, in no total either', () => {
  const none = analysed('event', 0.5, 0);
  expect(none.analysis.shortfall).not.toBeNull();
  const estimate = conversionsOf(none.analysis.groups, ['spring']);
  expect(estimate?.estimate).toBeLessThan(0);
  expect(estimate?.interval).toEqual([NaN, NaN]);
  expect(conversionsOf(totalsOf([none, analysed('event', 1, 9)]), [])?.interval).toEqual([NaN, NaN]);
});

test('the values of a configuration that lost reports are left out, with its sources', () => {
  const bounds = [20, 50];
  const basket = {
    max_event_level_reports: bounds.length,
    trigger_specs: [
      {
        trigger_data: [0],
        summary_operator: 'value_sum',
        summary_buckets: bounds,
        event_report_windows: { end_times: [86_400] },
      },
    ],
  };
  const truths = new Map([
    [0, SOURCES - 12],
    [1, 8],
    [2, 4],
  ]);
  const counted = (mechanism: Configuration['mechanism']): Analysed['tally'] => {
    const configuration = configurationOf(basket, 'navigation', 3, mechanism);
    const tally = drawTally(samplerOf(configuration), truths, seededRandomSource('values', 0));
    const { kind } = mechanism;
    return { name: kind, given: kind, configuration, groups: [{ group: ['spring'], tally }] };
  };
  const values = { values: [0, ...bounds], prior: [0.5, 0.3, 0.2] };
  const [buckets, noisy] = [counted({ kind: 'rr' }), counted({ kind: 'unbiased', ...values })];
  const whole = { tally: noisy, analysis: analyse(noisy, OPTIONS) };
  const complete = { tally: buckets, analysis: analyse(buckets, OPTIONS) };
  const lossy = { tally: buckets, analysis: analyse(buckets, { ...OPTIONS, lost: lostOf(5, 100, LEVEL) }) };
  const valuesOf = (
    ...parts: readonly Analysed[]
  ): ReturnType<typeof totalsOf>[number]['values'] | undefined =>
    totalsOf(parts).find(({ group }) => group.length === 1)?.values;
  // All that report values count, unless reports are lost for which nothing makes up.
  expect(valuesOf(complete, whole)?.sources).toBe(2 * SOURCES);
  const found = valuesOf(lossy, whole);
  expect(found?.sources).toBe(SOURCES);
  expect(found?.sum.estimate.estimate).not.toBeNaN();
  expect(found).toEqual(valuesOf(whole));
  expect(valuesOf(lossy)).toBeNull();
});

/* One source does not show how sources differ, but it is only one. */
test('a single source of another configuration leaves the interval of a total as it is, but for itself', () => {
  const options = { ...OPTIONS, randomness: 'noise-and-sampling' } as const;
  const of = (type: 'navigation' | 'event', sources: number, reported: number): Analysed => {
    const { tally } = analysed(type, 3, 0);
    const outputs = new Map([
      ['0', sources - reported],
      ['1', reported],
    ]);
    const counted = { ...tally, groups: [{ group: ['spring'], tally: outputs }] };
    return { tally: counted, analysis: analyse(counted, options) };
  };
  const rateOf = (...parts: readonly Analysed[]): Estimate | undefined =>
    totalsOf(parts)
      .find(({ group }) => group.length === 1)
      ?.estimates.find(({ quantity }) => quantity.kind === 'conversion-rate')?.estimate;
  const widthOf = (found: Estimate | undefined): number =>
    (found?.interval[1] ?? NaN) - (found?.interval[0] ?? NaN);
  const [many, one] = [of('navigation', 500, 120), of('event', 1, 1)];
  const joined = rateOf(many, one);
  expect(widthOf(joined)).toBeGreaterThan(widthOf(rateOf(many)) * (500 / 501));
  expect(widthOf(joined)).toBeLessThan(widthOf(rateOf(many)) + 4 / 501);
  // Nothing shows how much of it is noise.
  expect(joined?.variance).toBe(Infinity);
  const [low, high] = rateOf(one, of('navigation', 1, 0))?.interval ?? [NaN, NaN];
  expect([low, high]).toEqual([0, 1]);
});
