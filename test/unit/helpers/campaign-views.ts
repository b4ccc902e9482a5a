import { readFileSync } from 'node:fs';
import type { EstimateJson } from '../../../analysis/estimate/result/group-result';
import { resultJson, type EstimateResult } from '../../../analysis/estimate/result/result-json';
import { estimatesFrom } from '../../../extension/site/estimates-from';
import { run, type Answer, type CampaignRun } from './campaign-run';
import { expectCharts, expectFigures, expectGroups, expectLab } from './campaign-numbers';
import type { CommandWorld } from './command';
import { expectMarks } from './campaign-pictures';
import { pageOf, pageTable, tableIn } from './rendered-pages';
import { expectNumbers, expectPlain, expectRow, rowsOf, type Compared, type Language } from './shown-numbers';

/* What tables, rows and pages show of the campaigns of a run, beside its JSON at the usual level. */

const CAMPAIGN = 'campaign';

const cellsOf = (line: string): readonly string[] => line.trim().split(/\s{3,}/);

/** The lines of a table, after one that begins it. */
const rowsAfter = (lines: readonly string[], beginning: string): readonly string[] =>
  lines.slice(lines.findIndex((line) => line.startsWith(beginning)) + 1);

/** The table with the sums of all kinds of reports, and that of event-level reports alone. */
export async function expectTables(
  world: CommandWorld,
  { options }: CampaignRun,
  answer: Answer,
  shown: Compared,
): Promise<void> {
  const [posted, plain] = [
    await run(world, 'estimate', ...options, '--table'),
    await run(world, 'estimate', ...withoutPosted(options), '--table'),
  ].map((text) => text.split('\n'));
  const hasValues = answer.totals.some(({ values }) => values !== null);
  const columns = {
    rate: [2, 4],
    summary: [4, 6],
    histogram: [6, 8],
    conversions: [8, 10],
    values: [10, 14],
  } as const;
  const lines = rowsAfter(posted ?? [], 'Conversions by campaign');
  for (const row of rowsOf(answer, true)) {
    const cells = cellsOf(lines.find((line) => line.trim().startsWith(`${row.name}  `)) ?? '');
    expectRow(shown, row, (column) => joined(cells.slice(...columns[column]), column));
    if (row.total.covered > 0)
      expectPlain(shown, `${row.name} covered`, cells[hasValues ? 15 : 11] ?? '', row.total.covered);
  }
  const usual = {
    rate: [4, 6],
    conversions: [2, 4],
    values: [8, 12],
    summary: [0, 0],
    histogram: [0, 0],
  } as const;
  const totals = rowsAfter(plain ?? [], 'Conversions by campaign');
  for (const row of rowsOf(answer, false)) {
    const cells = cellsOf(totals.find((line) => line.trim().startsWith(`${row.name}  `)) ?? '');
    expectRow(shown, row, (column) => joined(cells.slice(...usual[column]), column));
    expectPlain(shown, `${row.name} sources`, cells[1] ?? '', row.total.covered);
  }
  expectConfigurations(plain ?? [], answer, shown);
}

const joined = (cells: readonly string[], column: string): string =>
  column === 'values' ? `${cells.slice(0, 2).join(' ')}\t${cells.slice(2).join(' ')}` : cells.join(' ');

const withoutPosted = (options: readonly string[]): readonly string[] =>
  options.slice(0, options.indexOf('--summary'));

/** Each number of each group of each configuration, in the order of the JSON. */
function expectConfigurations(lines: readonly string[], { configurations }: Answer, shown: Compared): void {
  const rows: string[] = [];
  lines.forEach((line, number) => {
    if (!/^ {4}\s+observed /.test(line)) return;
    for (let next = number + 1; (lines[next] ?? '').startsWith('    '); next++) rows.push(lines[next] ?? '');
  });
  // A group that is all of a configuration is shown once.
  const shownOf = (groups: Answer['configurations'][number]['groups']): typeof groups =>
    groups.length === 2 ? groups.slice(1) : groups;
  const estimates = configurations.flatMap(({ groups }) =>
    shownOf(groups).flatMap((group) => group.estimates),
  );
  expect(rows.length).toBe(estimates.length);
  estimates.forEach((found, place) => {
    const cells = cellsOf(rows[place] ?? '');
    const [name = '', ...numbers] = cells;
    const share = numbers.pop() ?? '';
    expectNumbers(shown, name, numbers.join(' '), numbersOf(found));
    if (found.noise_share === null) expect([name, share]).toEqual([name, '–']);
    else expectPlain(shown, `${name} noise share`, share, found.noise_share);
  });
}

const numbersOf = ({
  observed,
  estimate,
  interval: [low, high],
}: EstimateJson): readonly (number | null)[] => [
  ...(observed === null ? [] : [observed]),
  ...(estimate === null ? [] : [estimate]),
  ...(low === null ? [] : [low, high]),
];

/** What the cells of the notebook show: the rows of this file. */
export async function expectRows(
  world: CommandWorld,
  { options }: CampaignRun,
  { configurations, totals }: Answer,
  shown: Compared,
): Promise<void> {
  const path = world.pathOf('estimates.ndjson');
  await run(world, 'estimate', ...withoutPosted(options), '--output', path);
  const rows = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const expected = [
    ...configurations.flatMap(({ groups }) => groups.flatMap(({ estimates }) => estimates)),
    ...totals.flatMap(({ estimates, values }) => [
      ...(estimates.length === 0 ? [null] : estimates),
      ...(values === null ? [] : [values.sum, values.average]),
    ]),
  ].map((found) =>
    found === null
      ? { quantity: 'conversions', estimate: null, low: null, high: null }
      : {
          quantity: found.quantity,
          estimate: found.estimate,
          low: found.interval[0],
          high: found.interval[1],
        },
  );
  expect(rows.map(({ quantity, estimate, low, high }) => ({ quantity, estimate, low, high }))).toEqual(
    expected,
  );
  shown.count += expected.length * 3;
}

const SLICES = ['consistent', 'consistent_error', 'consistent_low', 'consistent_high'] as const;

/** As the collector serves what `aggregate` wrote. */
const postedIn = (file: string): object => ({
  received_time: new Date(0),
  rows: readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string | number | null>)
    .filter((row) => row['slice'] !== null)
    .map((row) => {
      const [estimate, error, low, high] = SLICES.map((name) => row[name]);
      return { slice: row['slice'], estimate, error, low, high };
    }),
});

/** The dashboard's campaigns and the lab's totals, in some languages. */
export async function expectPages(
  { pathOf }: CommandWorld,
  answer: Answer,
  shown: Compared,
  languages: readonly Language[],
): Promise<void> {
  const result = resultIn(pathOf);
  for (const language of languages) {
    const estimates = resultJson(result);
    await expectRanking(pathOf, answer, shown, language, estimates);
    await expectGroups(answer, shown, language, estimates);
    await expectFigures(answer, shown, language, estimates);
    await expectCharts(shown, language, estimates);
    await expectLab(result, shown, language, estimates);
    const totals = await pageTable('totals', language, { result });
    const places = { rate: 2, conversions: 3, values: 5, summary: -1, histogram: -1 };
    for (const row of rowsOf(answer, false)) {
      const cells = totals.find((one) => one[1] === row.name) ?? [];
      expectRow(shown, row, (column) => cells[places[column]] ?? '', language);
      expectPlain(shown, `${row.name} sources`, cells[4] ?? '', row.total.covered, language);
    }
  }
}

async function expectRanking(
  pathOf: CommandWorld['pathOf'],
  answer: Answer,
  shown: Compared,
  language: Language,
  estimates: ReturnType<typeof resultJson>,
): Promise<void> {
  const rows = rowsOf(answer, true);
  const groups = rows.map(({ name, total: { sources } }) => ({ group: name, sources, reports: 0 }));
  const html = await pageOf('ranking', language, {
    view: { from: '', to: '', is: new Map() },
    answers: {
      ...{ estimates, truth: null, group: CAMPAIGN, statistics: { groups } },
      summary: postedIn(pathOf('summary-0.95.ndjson')),
      histogram: postedIn(pathOf('histogram-0.95.ndjson')),
    },
    nameOf: (name: string) => name,
  });
  const ranking = tableIn(html, 'ranking');
  expectMarks(html, rows, shown);
  const places = { rate: 2, summary: 6, histogram: 7, conversions: 8, values: 9 };
  for (const row of rows) {
    const cells = ranking.find((one) => one[1] === row.name) ?? [];
    expectRow(shown, row, (column) => cells[places[column]] ?? '', language);
  }
}

/** As the lab estimates. */
function resultIn(pathOf: CommandWorld['pathOf']): EstimateResult {
  const [sources = '', reports = ''] = ['sources.ndjson', 'reports.ndjson'].map((name) =>
    readFileSync(pathOf(name), 'utf8'),
  );
  return estimatesFrom(sources, reports, [CAMPAIGN]);
}
