import { analyse, type AnalysedGroup } from '../../../analysis/estimate/analysis';
import { responseRates } from '../../../analysis/estimate/channel';
import type { Estimate } from '../../../analysis/estimate/response-estimate';
import { totalsOf as allTotals, type Analysed } from '../../../analysis/estimate/totals';
import { epsilon } from '../../../src/model/units';
import { configurationOf } from '../helpers/estimates';

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

test('where reports are missing there is no interval, in no total either', () => {
  const none = analysed('event', 0.5, 0);
  expect(none.analysis.shortfall).not.toBeNull();
  const estimate = conversionsOf(none.analysis.groups, ['spring']);
  expect(estimate?.estimate).toBeLessThan(0);
  expect(estimate?.interval).toEqual([NaN, NaN]);
  expect(conversionsOf(totalsOf([none, analysed('event', 1, 9)]), [])?.interval).toEqual([NaN, NaN]);
});
