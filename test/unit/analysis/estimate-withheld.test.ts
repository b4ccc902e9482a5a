import { analyse } from '../../../analysis/estimate/result/analysis';
import { campaignsOf, type Campaign } from '../../../analysis/estimate/result/campaigns';
import type { Configuration } from '../../../analysis/estimate/quantities/configuration';
import { Join } from '../../../analysis/estimate/join/join';
import { estimatesOf } from '../../../analysis/estimate/result/estimates-of';
import type { LikelyEstimate } from '../../../analysis/estimate/likelihood/likelihood';
import { lostOf, type LostReports } from '../../../analysis/estimate/unbiased/lost-reports';
import type { OutputCounts } from '../../../analysis/estimate/unbiased/response-estimate';
import { countsJson } from '../../../analysis/estimate/result/counts-json';
import { resultJson, type EstimateResult } from '../../../analysis/estimate/result/result-json';
import { estimatedRows } from '../../../cli/estimate/rows';
import { resultTable } from '../../../cli/estimate/table';
import { seconds } from '../../../src/model/units';
import { configurationOf } from '../helpers/estimates';
import { pageTable } from '../helpers/rendered-pages';

/* A number without an interval is not shown, wherever it could be. */

const view = configurationOf({}, 'event', 1);
const withPrior = configurationOf({ max_event_level_reports: 1 }, 'navigation', 2, {
  kind: 'rr-with-prior',
  prior: Array.from({ length: 25 }, () => '0.04'),
});
const views = tallyOf(1100, 450, 450);

function tallyOf(...counts: readonly number[]): OutputCounts {
  return new Map(counts.flatMap((count, state) => (count === 0 ? [] : [[String(state), count]])));
}

/** Campaigns with these outputs, named 0, 1 … */
const resultOf = (
  configuration: Configuration,
  campaigns: readonly OutputCounts[],
  lost?: LostReports,
): EstimateResult =>
  estimatesOf(
    {
      ...{ groupBy: ['campaign'], asOf: null, skew: 60 },
      configurations: [
        {
          ...{ name: 'one', given: null, configuration },
          groups: campaigns.map((tally, number) => ({ group: [String(number)], tally })),
        },
      ],
      ...countsJson(new Join({ skew: seconds(60), completeUntil: null }).result().counts, new Map()),
    },
    {
      ...{ level: 0.95, randomness: 'noise-and-sampling', likelihood: false, singles: false },
      ...(lost === undefined ? {} : { lost }),
    },
  );

const evidenceOf = (result: EstimateResult): Parameters<typeof campaignsOf>[0] => {
  return {
    estimates: resultJson(result),
    truth: null,
    slices: new Map(),
    histogram: new Map(),
    logged: null,
  };
};

/** The rows of the dashboard's campaigns, without its head. */
const rankingOf = async (result: EstimateResult): Promise<readonly (readonly string[])[]> => {
  const none = { received_time: null, rows: [] };
  const { estimates, truth } = evidenceOf(result);
  const rows = await pageTable('ranking', 'en', {
    view: { from: '', to: '', is: new Map() },
    answers: {
      ...{ estimates, truth, group: 'campaign', summary: none, histogram: none },
      statistics: { groups: [] },
    },
    nameOf: (name: string) => name,
  });
  return rows.slice(1);
};

const conversionLines = (result: EstimateResult): readonly string[] =>
  resultTable(result).filter((line) => /^ +(conversions|sources with a conversion) /.test(line));

// Without this, all 2,000 of 2,000 possible conversions were shown as the estimate.
test.each([
  ['lost-reports', 'the reports contradict the given loss', view, [views, views], lostOf(1600, 2000, 0.95)],
  ['shortfall', 'sources are missing', withPrior, [tallyOf(5000), tallyOf(5000)], undefined],
])('%s: has only the unbiased number if %s', async (problem, _, configuration, campaigns, lost) => {
  const result = resultOf(configuration, campaigns, lost);
  const json = resultJson(result);
  expect(json.configurations[0]?.mismatches).toEqual([]);
  const groups = [...json.configurations.flatMap((one) => one.groups), ...json.totals];
  expect(groups).toHaveLength(6);
  const unbiased = expect.any(Number) as number;
  for (const { estimates } of groups)
    for (const found of estimates)
      expect(found).toMatchObject({ estimate: null, unbiased, interval: [null, null] });
  for (const row of estimatedRows(json))
    expect(row).toMatchObject({ estimate: null, unbiased, low: null, high: null, problem });
  const lines = conversionLines(result);
  expect(lines).toHaveLength(6);
  for (const line of lines) expect(line).toMatch(/ none +none /);
  const { rows } = campaignsOf(evidenceOf(result));
  const withheld: Partial<Campaign['rate']> = { value: NaN, noiseShare: null };
  expect(rows.map(({ rate }) => rate)).toMatchObject([withheld, withheld]);
  for (const cells of await rankingOf(result)) {
    expect([cells[2], cells[4], cells[6]]).toEqual(['–', '–', '–']);
    expect(cells[5]).toMatch(/^not comparable: reports are missing/);
  }
  for (const cells of (await pageTable('totals', 'en', { result })).slice(1))
    expect(cells.slice(2, 4)).toEqual(['–', '–']);
});

test('a single source whose reports may be lost has no estimate, because nothing bounds it', () => {
  const json = resultJson(resultOf(view, [tallyOf(0, 1), views], lostOf(100, 2000, 0.95)));
  const rows = estimatedRows(json).filter(
    ({ campaign, quantity }) => campaign === '0' && quantity === 'conversions',
  );
  expect(rows).toHaveLength(2);
  for (const row of rows) expect(row).toMatchObject({ problem: 'too-few-sources', estimate: null });
});

test('how much of the uncertainty of a single source is noise is unknown, and tables say why', async () => {
  const result = resultOf(view, [tallyOf(0, 1), views]);
  const why = /they do not show how sources differ/;
  const [single, many] = [...(await rankingOf(result))].sort((a, b) => Number(a[1]) - Number(b[1]));
  expect([single?.[4], many?.[4]]).toEqual(['–', expect.stringMatching(/^\d\d.*%$/)]);
  const lines = resultTable(result);
  const cells = lines.find((line) => /^ +0 +1 /.test(line))?.split(/ {3,}/) ?? [];
  expect(cells.at(-2)).toBe('–');
  expect(lines.filter((line) => why.test(line))).toHaveLength(1);
  expect(resultTable(resultOf(view, [views, views])).some((line) => why.test(line))).toBe(false);
});

// All of the little uncertainty was called noise, although noise changes 2 of 10,000 sources.
test.each([0, 5])(
  'how much of the uncertainty is noise is unknown of sources that all reported alike: %p of 5',
  async (converted) => {
    const exact = configurationOf({}, 'event', 14);
    const result = resultOf(exact, [tallyOf(5 - converted, converted), tallyOf(10, 10)]);
    const lines = resultTable(result);
    const [alike, different] = [/^ +0 +5 /, /^ +1 +20 /].map((begin) =>
      lines
        .find((line) => begin.test(line))
        ?.split(/ {3,}/)
        .at(-2),
    );
    expect([alike, different]).toEqual(['–', expect.stringMatching(/^0\.00\d+ %$/)]);
    const cells = (await rankingOf(result)).find((row) => row[1] === '0');
    expect(cells?.[4]).toBe('–');
  },
);

test('what can be anything has no number, wherever it could be shown', async () => {
  const result = resultOf(view, [tallyOf(0, 1), views]);
  const json = resultJson(result);
  const [all, ...configurationGroups] = json.configurations[0]?.groups ?? [];
  const groups = [...configurationGroups, ...json.totals];
  for (const { group, estimates } of groups.filter(({ group }) => group['campaign'] !== undefined))
    for (const { quantity, estimate, interval } of estimates)
      expect([quantity, estimate === null, interval[1] === 1 && interval[0] === 0]).toEqual(
        group['campaign'] === '0' ? [quantity, true, true] : [quantity, false, false],
      );
  expect(all?.estimates[0]?.estimate).not.toBeNull();
  for (const row of estimatedRows(json).filter(({ campaign }) => campaign === '0'))
    expect(row).toMatchObject({ estimate: null, low: 0, high: 1, problem: 'too-few-sources' });
  const [single, many] = [...(await rankingOf(result))].sort((a, b) => Number(a[1]) - Number(b[1]));
  expect([single?.[2], single?.[6]]).toEqual([
    'not enough sources (0 % to 100 %)',
    'not enough sources (0 to 1)',
  ]);
  expect(many?.[2]).toMatch(/^\d.* %/);
  const totals = await pageTable('totals', 'de', { result });
  expect(totals.find((row) => row[1] === '0')?.slice(2, 4)).toEqual([
    'zu wenige Quellen (0 % bis 100 %)',
    'zu wenige Quellen (0 bis 1)',
  ]);
  const lines = resultTable(result).filter((line) => line.includes('not enough sources'));
  // In the comparison of groups, and seven numbers of the configuration.
  expect(lines).toHaveLength(8);
  for (const line of lines) expect(line).toMatch(/not enough sources +(0\.00 % to 100 %|0 to 1)/);
});

test.each(['en', 'de'] as const)('in %s, the table of groups has no number, either', async (language) => {
  const groups = await pageTable('groups', language, {
    answers: {
      estimates: resultJson(resultOf(view, [tallyOf(0, 1), views])),
      statistics: {
        groups: ['0', '1'].map((group) => ({ group, sources: 1, reports: 1 })),
        moreGroups: 0,
      },
      group: 'campaign',
    },
    nameOf: (name: string) => name,
  });
  const tooFew = { en: 'not enough sources (0 to 1)', de: 'zu wenige Quellen (0 bis 1)' };
  expect(groups.find(([name]) => name === '0')?.[5]).toBe(tooFew[language]);
  expect(groups.find(([name]) => name === '1')?.[5]).toMatch(/^\d/);
});

test('people whose share is not known have an interval, unless they were counted exactly', async () => {
  const row = (impressions: number, numbers: object): object => ({
    ...{
      group: [['campaign', 'one']],
      impressions,
      by: 'sketch',
      share: null,
      share_low: null,
      share_high: null,
    },
    ...numbers,
  });
  const reach = {
    received_time: 0,
    rows: [
      row(1, { estimate: 20, low: 4, high: 36 }),
      row(2, { estimate: 3, low: 0, high: 14 }),
      row(3, { estimate: 2, low: 2, high: 2 }),
      row(4, { estimate: 5, low: 1, high: 9, share: 0.25, share_low: 0.1, share_high: 0.5 }),
    ],
  };
  const cells = (await pageTable('reached', 'en', { reach }))[1]?.slice(1);
  expect(cells).toEqual(['20', '4 to 36', '3 (0 to 14)', '2', '5: 25 % (10 % to 50 %)']);
});

/** The likeliest numbers of one source that reports beside many. */
function likeliestOf(epsilon: number, one: OutputCounts, many: OutputCounts) {
  const found = analyse(
    {
      configuration: configurationOf({ event_level_epsilon: epsilon }, 'event', epsilon),
      groups: [
        { group: ['one'], tally: one },
        { group: ['many'], tally: many },
      ],
    },
    { level: 0.95, randomness: 'noise', singles: false, likelihood: true },
  );
  expect(found.fits).toBe(true);
  return (of: string): readonly (LikelyEstimate | null)[] =>
    found.groups
      .filter(({ group }) => group[0] === of)
      .flatMap(({ estimates }) => estimates.map(({ likelihood }) => likelihood));
}

test('of likeliest numbers, those that can be anything are left out', () => {
  const likeliest = likeliestOf(4.5, tallyOf(0, 1), tallyOf(1940, 30, 30));
  expect(likeliest('many')).not.toContain(null);
  expect(likeliest('one').slice(0, 2)).toEqual([null, null]);
  // That it reported the other datum is hardly possible.
  expect(likeliest('one')[2]?.interval[1]).toBeLessThan(1);
});

test('a group whose outputs may all be noise has no likeliest numbers: they would be those of the others', () => {
  const likeliest = likeliestOf(1, tallyOf(1), tallyOf(1100, 450, 450));
  expect(likeliest('many')).not.toContain(null);
  expect(new Set(likeliest('one'))).toEqual(new Set([null]));
  // Noise replaces each with 0.636, and all of seven with less than 5 %.
  expect(likeliestOf(1, tallyOf(6), tallyOf(1100, 450, 450))('one')[1]).toBeNull();
  expect(likeliestOf(1, tallyOf(7), tallyOf(1100, 450, 450))('one')[1]).not.toBeNull();
});

test('reports of sums count buckets that were reached, and no conversions', () => {
  const spec = { trigger_data: [0], event_report_windows: { end_times: [86_400] } };
  const namesOf = (operator: string, buckets: readonly number[]): readonly string[] => {
    const specs = [{ ...spec, summary_operator: operator, summary_buckets: buckets }];
    const registered = { max_event_level_reports: 2, trigger_specs: specs };
    const configuration = configurationOf(registered, 'navigation', 3);
    return resultTable(resultOf(configuration, [tallyOf(400, 60, 40)])).flatMap((line) =>
      /^ +(conversions|buckets reached) {2,}\d/.test(line) ? [line.trim().split('  ', 1)[0] ?? ''] : [],
    );
  };
  // Of the campaign, which is all sources.
  expect(namesOf('value_sum', [5, 100])).toEqual(['buckets reached']);
  expect(namesOf('count', [1, 3])).toEqual(['buckets reached']);
  expect(namesOf('count', [1, 2])).toEqual(['conversions']);
});
