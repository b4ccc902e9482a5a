import { readFileSync } from 'node:fs';
import path from 'node:path';
import { NO_SUMS, Run, type Sums } from '../../../bench/trial-outcome';
import { readLines } from '../../../bench/trial-results';
import { lossesTableOf, tableOf, type Line } from '../../../bench/trial-rows';
import { root } from '../../../node/root';

const cells = (row: string): readonly string[] =>
  row.split('|').map((cell) => cell.trim().replace(/^-+$/, '---'));

const linesOf = (page: string): readonly string[] =>
  readFileSync(path.join(root, 'docs', page), 'utf8').split('\n');

test('the page has the table of the results that are kept', () => {
  const page = linesOf('trial-settings.md');
  const rows = page
    .slice(0, page.indexOf('## Where the results are worse'))
    .filter((line) => line.startsWith('|'));
  expect(rows.length).toBeGreaterThan(60);
  expect(rows.map(cells)).toEqual(tableOf(readLines()).map(cells));
});

test('the page of estimates has the results with lost reports that are kept', () => {
  const page = linesOf('estimates.md');
  const [, ...table] = lossesTableOf(readLines()).map(cells);
  expect(table).toHaveLength(6);
  const start = page.findIndex((line) => line.includes('| Intervals that contain the truth |'));
  expect(page.slice(start + 1, start + 1 + table.length).map(cells)).toEqual(table);
});

/** Runs of one estimate each, whose truth is 5. */
const runsOf = (...estimates: readonly number[]): Sums =>
  estimates.reduce((sums, estimate) => {
    const run = new Run();
    run.add(5, estimate, [estimate - 2, estimate + 2]);
    return run.addedTo(sums);
  }, NO_SUMS);

const line = (more: Partial<Line>): Line => ({
  setting: 'views, ε = 1, 5 % lost, not said',
  level: 'level 0, conversions',
  unbiased: runsOf(5, 8, 5, 4),
  likeliest: runsOf(5, 8, 5, 4),
  shown: runsOf(5, 8, 5, 4),
  first: [],
  ...more,
});

const rowOf = (more: Partial<Line>): string | undefined => tableOf([line(more)])[2];

test('a row has coverage and RMSE with their errors, and what is shown if it is not always the likelihood', () => {
  const measured = '75.0 ± 21.7 % | 1.58 ± 0.6';
  expect(rowOf({})).toBe(`| impressions, ε = 1, 5 % lost, not given | 4 | ${measured} | ${measured} |  |`);
  expect(rowOf({ likeliest: NO_SUMS })).toBe(
    `| impressions, ε = 1, 5 % lost, not given | 4 | ${measured} |  |  | 1.58 ± 0.6 |`,
  );
});

test('a row of lost reports has the mean error', () => {
  expect(lossesTableOf([line({})]).slice(2)).toEqual([
    '| impressions, ε = 1, 5 % lost, not given | 75.0 ± 21.7 % | 0.5 ± 0.8 |',
  ]);
  expect(lossesTableOf([line({ unbiased: runsOf(-20, -18) })])[2]).toContain('| −24 ± 0.7 |');
});

test('a row says which part of the estimates has an interval', () => {
  expect(rowOf({ likeliest: runsOf(5, 4, 5) })).toContain('| 100 % (3 of 4) | 0.577 ± 0.2 | 1.58 ± 0.6 |');
  const none = new Run();
  none.add(5, 8, [NaN, NaN]);
  const unshown = { unbiased: none.addedTo(NO_SUMS), likeliest: NO_SUMS, shown: NO_SUMS };
  expect(rowOf(unshown)).toContain('| 1 | no interval | 3 |  |  |  |');
});

test('a row names its groups and its quantity', () => {
  const three = new Run();
  for (let group = 0; group < 3; group++) three.add(5, 8, [4, 9]);
  const unbiased = three.addedTo(NO_SUMS);
  expect(rowOf({ level: 'level 1, conversions', unbiased })).toContain('not given: the 3 groups |');
  // Each group has several windows, so how many estimates there are does not say how many groups.
  expect(rowOf({ level: 'level 1, window', unbiased })).toContain('not given: the groups: by window |');
  expect(rowOf({ level: 'the one, conversions' })).toContain('not given: the one |');
  expect(rowOf({ level: 'all, conversion-rate' })).toContain('not given: share that converts |');
});
