import { readFileSync } from 'node:fs';
import type { FunctionComponent } from 'preact';
import { estimateResult, type EstimateResultJson } from '../../../analysis/estimate/estimate-result';
import type { EstimateJson, TotalJson } from '../../../analysis/estimate/group-result';
import { resultJson, type EstimateResult } from '../../../analysis/estimate/result-json';
import { main } from '../../../cli/main';
import { estimatesFrom } from '../../../extension/site/estimates-from';
import german from '../../../extension/_locales/de.json';
import { campaignLog, campaignSettings } from '../helpers/campaign-log';
import { useCommands } from '../helpers/command';

/*
 * Every number of a campaign that a table or a page shows is that of the JSON, which `campaign-truth` compares with what happened: it differs by
 * at most half a unit of its last digit, and this unit is at most a tenth of the interval.
 */

const { pathOf, file, out, err } = useCommands();

const CAMPAIGN = 'campaign';

async function run(...args: string[]): Promise<string> {
  out.length = 0;
  if ((await main(args)) !== 0) throw new Error(err.join(''));
  return out.join('');
}

const logs = (): readonly string[] => [
  '--reports',
  pathOf('reports.ndjson'),
  '--sources',
  pathOf('sources.ndjson'),
];

async function simulated(settings: object): Promise<EstimateResult> {
  const given = [
    '--input',
    file('log.ndjson', [...campaignLog(100, 5)]),
    '--settings',
    file('settings.json', settings),
  ];
  const written = ['--output', pathOf('reports.ndjson'), '--sources-output', pathOf('sources.ndjson')];
  await run('simulate', ...given, ...written, '--seed', '5', '--threads', '1');
  const [sources = '', reports = ''] = ['sources.ndjson', 'reports.ndjson'].map((name) =>
    readFileSync(pathOf(name), 'utf8'),
  );
  return estimatesFrom(sources, reports, [CAMPAIGN]);
}

interface Number {
  readonly value: number;
  /** What one of its last digit is worth. */
  readonly unit: number;
}

const formats = { en: { group: ',', point: '.' }, de: { group: '.', point: ',' } };

/** The numbers in a text, in their order. Shares are at most 1. */
const numbersIn = (text: string, language: keyof typeof formats = 'en'): readonly Number[] => {
  const { group, point } = formats[language];
  const plain = text
    .replaceAll(group, group === ',' ? '' : '\0')
    .replaceAll('\0', '')
    .replaceAll(point, '.');
  return [...plain.matchAll(/(?<![\w.])-?\d+(\.\d+)?(\s%)?/gu)].map(([whole, decimals = '.', percent]) => {
    const scale = percent === undefined ? 1 : 100;
    return { value: Number.parseFloat(whole) / scale, unit: 10 ** (1 - decimals.length) / scale };
  });
};

/** How many numbers. */
let compared = 0;

/** The estimate, then the ends of its interval; or the observed count before them. */
function expectShown(
  where: string,
  text: string,
  exact: readonly (number | null)[],
  language?: keyof typeof formats,
): void {
  const shown = numbersIn(text, language);
  expect([where, text, shown.length]).toEqual([where, text, exact.length]);
  const [low, high] = exact.slice(-2);
  const width = (high ?? NaN) - (low ?? NaN);
  shown.forEach(({ value, unit }, place) => {
    compared += 1;
    const isRight = Math.abs(value - (exact[place] ?? NaN)) <= 0.5 * unit * (1 + 1e-9);
    const isSharp = unit <= 0.1 * width || unit === 1;
    expect([where, text, exact[place], isRight, isSharp]).toEqual([where, text, exact[place], true, true]);
  });
}

const numbersOf = ({ estimate, interval }: EstimateJson, over = 1): readonly number[] =>
  [estimate, ...interval].map((value) => (value ?? NaN) / over);

const byName = ({ totals }: EstimateResultJson): readonly (TotalJson & { readonly name: string })[] =>
  totals.flatMap((total) => {
    const name = total.group[CAMPAIGN];
    return name === undefined ? [] : [{ ...total, name }];
  });

const of = ({ estimates }: TotalJson, kind: string): readonly number[] | null => {
  const found = estimates.find(({ quantity }) => quantity === kind);
  return found === undefined ? null : numbersOf(found);
};

/** What the cells of a row must say: conversions, their rate if it is of all sources, and the sum and average of values. */
function expectRow(
  total: ReturnType<typeof byName>[number],
  cell: (column: 'conversions' | 'rate' | 'values') => string,
  language?: keyof typeof formats,
): void {
  const { name, covered, sources, values } = total;
  const [conversions, rate] = [of(total, 'conversions'), of(total, 'conversion-rate')];
  expectShown(`${name} conversions`, cell('conversions'), conversions ?? [], language);
  expectShown(`${name} rate`, cell('rate'), covered < sources ? [] : (rate ?? []), language);
  if (values === null) return;
  const { sum, sources: count } = values;
  const [sums = '', averages = ''] = cell('values').split(/; (?:on average|im Mittel)|\t/);
  expectShown(`${name} values`, sums, numbersOf(sum), language);
  expectShown(
    `${name} average`,
    averages.replace(/,[^,]*$/, '').replace(/, (of|bei|von) .*/, ''),
    numbersOf(sum, count),
    language,
  );
}

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('\u00a0', ' ');

/** The cells of a table's rows. */
function tableIn(html: string, id: string): readonly (readonly string[])[] {
  const [table = ''] = new RegExp(`<table[^>]*id="${id}".*?</table>`, 's').exec(html) ?? [];
  return [...table.matchAll(/<tr.*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<t[hd][ >].*?<\/t[hd]>/gs)].map(([cell]) => textOf(cell)),
  );
}

/** Pages read their language when they are loaded. */
async function rendered(
  language: keyof typeof formats,
  load: () => Promise<FunctionComponent<never>>,
  properties: object,
): Promise<string> {
  Object.assign(globalThis, {
    document: { documentElement: { lang: language } },
    navigator: { languages: [language] },
  });
  let html = '';
  await jest.isolateModulesAsync(async () => {
    const { default: browser } = await import('webextension-polyfill');
    if (language === 'de') {
      jest.spyOn(browser.i18n, 'getUILanguage').mockReturnValue('de');
      jest
        .spyOn(browser.i18n, 'getMessage')
        .mockImplementation((name) => (german as Record<string, string>)[name] ?? '');
    }
    const { h } = await import('preact');
    const { default: render } = await import('preact-render-to-string');
    html = render(h((await load()) as FunctionComponent<object>, properties));
  });
  return html;
}

const dashboardTable = async (): Promise<FunctionComponent<never>> =>
  (await import('../../../collector/dashboard/client/campaign-table')).CampaignTable;
const labTable = async (): Promise<FunctionComponent<never>> =>
  (await import('../../../extension/site/totals-card')).TotalsCard;

async function expectPage(language: keyof typeof formats, result: EstimateResult): Promise<void> {
  const estimates = resultJson(result);
  const totals = byName(estimates);
  const groups = totals.map(({ name, sources }) => ({ group: name, sources, reports: 0 }));
  const dashboard = await rendered(language, dashboardTable, {
    view: { from: '', to: '', is: new Map() },
    answers: {
      estimates,
      truth: null,
      group: CAMPAIGN,
      summary: { received_time: null, rows: [] },
      histogram: { received_time: null, rows: [] },
      statistics: { groups },
    },
    nameOf: (name: string) => name,
  });
  const lab = await rendered(language, labTable, { result });
  for (const [rows, places] of [
    [tableIn(dashboard, 'ranking'), { rate: 2, conversions: 6, values: 7 }],
    [tableIn(lab, 'totals'), { rate: 2, conversions: 3, values: 5 }],
  ] as const)
    for (const total of totals) {
      const cells = rows.find((row) => row[1] === total.name) ?? [];
      expectRow(total, (column) => cells[places[column]] ?? '', language);
    }
}

async function expectTable(totals: ReturnType<typeof byName>): Promise<void> {
  const lines = (await run('estimate', ...logs(), '--group-by', CAMPAIGN, '--table')).split('\n');
  const start = lines.findIndex((line) => line.startsWith('Conversions by campaign'));
  const columns = { conversions: [2, 4], rate: [4, 6], values: [8, 12] } as const;
  for (const total of totals) {
    const line = lines.slice(start).find((one) => one.trim().startsWith(`${total.name}  `)) ?? '';
    const cells = line.trim().split(/\s{3,}/);
    expectRow(total, (column) => {
      const own = cells.slice(...columns[column]);
      return column === 'values' ? `${own.slice(0, 2).join(' ')}\t${own.slice(2).join(' ')}` : own.join(' ');
    });
  }
}

/** What the notebook's cells show: the rows of this file. */
async function expectRows(totals: ReturnType<typeof byName>): Promise<void> {
  await run('estimate', ...logs(), '--group-by', CAMPAIGN, '--output', pathOf('estimates.csv'));
  const [head = '', ...lines] = readFileSync(pathOf('estimates.csv'), 'utf8').trim().split('\n');
  const columns = head.split(',');
  const rows = lines.map((line) => {
    const cells = line.split(',');
    return (column: string): string => cells[columns.indexOf(column)] ?? '';
  });
  for (const total of totals)
    for (const kind of ['conversions', 'conversion-rate']) {
      const row = rows.find(
        (cell) => cell('configuration') === '' && cell(CAMPAIGN) === total.name && cell('quantity') === kind,
      );
      const cells = ['estimate', 'low', 'high'].flatMap((column) => row?.(column) || []);
      expect([total.name, kind, cells.map(Number)]).toEqual([total.name, kind, of(total, kind) ?? []]);
      compared += cells.length;
    }
}

// With it some sources report values, and others count conversions.
const settings = campaignSettings['the unbiased randomizer'] ?? {};

test('the JSON, the table, the notebook and two pages in two languages say the same', async () => {
  const result = await simulated(settings);
  const json = estimateResult.write(resultJson(result));
  const printed = JSON.parse(await run('estimate', ...logs(), '--group-by', CAMPAIGN)) as unknown;
  expect(printed).toEqual(JSON.parse(JSON.stringify(json)));
  const totals = byName(resultJson(result));
  await expectTable(totals);
  await expectRows(totals);
  await expectPage('en', result);
  await expectPage('de', result);
  expect(compared).toBeGreaterThan(150);
});

test('a mark of a number that is not known says none', async () => {
  const { IntervalMark, scaleOf } = await import('../../../collector/dashboard/client/interval-mark');
  const { h } = await import('preact');
  const { default: render } = await import('preact-render-to-string');
  const markOf = (of: Parameters<typeof IntervalMark>[0]['of']): string =>
    render(h(IntervalMark, { of, truth: null, scale: scaleOf([0, 0.2]) }));
  expect(markOf({ value: 0.1, low: 0, high: 0.2 })).toContain('cx="50"');
  expect(markOf({ value: NaN, low: NaN, high: NaN })).toBe('');
});
