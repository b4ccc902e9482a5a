import { main } from '../../../cli/main';
import { campaignsOf, slicesBy } from '../../../analysis/estimate/result/campaigns';
import { estimateResult } from '../../../analysis/estimate/result/estimate-result';
import { parse } from '../../../formats/codec/issues';
import type { Json } from '../../../src/model/json';
import { days } from '../../../src/model/units';
import { useCommands } from '../helpers/command';
import { ADTECH, START } from '../helpers/engine';
import { DESTINATION } from '../helpers/parsing';

const { out, err, file } = useCommands();

const campaignOf = (id: number): string => ['Beans', 'Peas', 'Leeks'][id % 3] ?? '';

const sources = Array.from({ length: 300 }, (_, id) => ({
  source_event_id: String(id),
  reporting_origin: ADTECH,
  destination: DESTINATION,
  source_type: 'navigation',
  time: START,
  registration: {},
  campaign: campaignOf(id),
}));

/** Half of the Beans convert, a fifth of the Peas, and no Leeks. */
const reports = sources
  .filter((_, id) => (id % 3 === 0 && id % 2 === 0) || (id % 3 === 1 && id % 5 === 0))
  .map(({ source_event_id: id }) => ({
    attribution_destination: DESTINATION,
    source_event_id: id,
    source_type: 'navigation',
    trigger_data: '3',
    report_id: `report ${id}`,
    randomized_trigger_rate: 0.0024263,
    scheduled_report_time: String((START + days(2)) / 1000),
    kind: 'event-level',
    received_time: new Date(START + days(2) + 60_000).toISOString(),
    reporting_origin: ADTECH,
  }));

/** As `aggregate --tree --slices campaign` writes them. */
const slice = (name: string, value: number): object => ({
  ...{ bucket: null, value: null, standard_error: null, low: null, high: null, discovered: null },
  ...{ consistent: value, consistent_error: 2, consistent_low: value - 4, consistent_high: value + 4 },
  slice: `campaign=${name}`,
});
const bucket = { ...slice('', 7), bucket: '0x1', slice: null };
const summary = [bucket, slice('Beans', 71), slice('Peas', 33), slice('Leeks', 1)];
const histogram = [slice('Beans', 27), slice('Radishes', 5)];

/** The CSV that pandas and `--output summary.csv` give. */
const csv = (rows: readonly object[]): string =>
  [Object.keys(bucket).join(), ...rows.map((row) => Object.values(row).join())].join('\n');

const estimated = (...more: string[]): Promise<number> =>
  main(['estimate', '--reports', file('r.ndjson', reports), '--sources', file('s.ndjson', sources), ...more]);

const byCampaign = ['--group-by', 'campaign'];
const posted = (rows = summary): readonly string[] => ['--summary', file('summary.csv', csv(rows))];

/** The cells of a group in the first table with its name; columns are two blanks apart, or more. */
const rowOf = (name: string): readonly string[] =>
  (
    out
      .join('\n')
      .split('\n')
      .find((line) => line.trimStart().startsWith(`${name}  `)) ?? ''
  )
    .trim()
    .split(/ {3,}/);

test('the table has the conversions by a summary and a W3C histogram, as the dashboard has', async () => {
  const more = ['--histogram', file('histogram.ndjson', histogram), '--table'];
  expect(await estimated(...byCampaign, ...posted(), ...more)).toBe(0);
  const rows = ['Beans', 'Peas', 'Leeks', 'Radishes'].map(rowOf);
  const header = rowOf('rank');
  expect(header[1]).toBe('conversions per source, summary');
  const at = (heading: string): number => header.indexOf(heading) + 1;
  expect(rows.map((row) => row[1])).toEqual(['1', '2', '3', '–']);
  expect(rows.map((row) => row[at('conversions, summary')])).toEqual(
    ['71.0', '33.0', '1.0', '–'].map(trimmed),
  );
  expect(rows.map((row) => row[at('conversions, W3C')])).toEqual(['27.0', '–', '–', '5.0'].map(trimmed));
  // An interval has nothing impossible.
  expect(rowOf('Leeks')).toContain('0 to 5');
  expect(rowOf('Beans')).toContain('100 sources until 30 d');
  const said = out.join('\n');
  expect(said).toContain('Rates and ranks are of the conversions in the summary report');
  expect(said).toContain('navigator.attribution');
});

const trimmed = (cell: string): string => cell.replace(/\.0$/, '');

test('what the table shows is what the function of the dashboard says', async () => {
  expect(await estimated(...byCampaign)).toBe(0);
  const { value } = parse(JSON.parse(out.join('')) as Json, estimateResult);
  if (value === null) throw new Error('the result must parse');
  const slices = slicesBy(
    [71, 33, 1].map((estimate, index) => ({
      ...{ slice: `campaign=${campaignOf(index)}`, estimate, error: 2 },
      ...{ low: estimate - 4, high: estimate + 4 },
    })),
    'campaign',
  );
  const { basis, rows } = campaignsOf({
    ...{ estimates: value, truth: null, slices, histogram: new Map(), logged: new Map() },
  });
  expect(basis).toBe('summary');
  expect(rows.map(({ group, rate }) => [group, rate?.value])).toEqual([
    ['Beans', 0.71],
    ['Peas', 0.33],
    ['Leeks', 0.01],
  ]);
  out.length = 0;
  expect(await estimated(...byCampaign, ...posted(), '--table')).toBe(0);
  for (const { group, rate } of rows)
    expect(parseFloat(rowOf(group)[2] ?? '') / 100).toBeCloseTo(rate?.value ?? NaN, 2);
});

test('the JSON has the same numbers as the table', async () => {
  expect(
    await estimated(...byCampaign, ...posted(), '--histogram', file('histogram.ndjson', histogram)),
  ).toBe(0);
  const { campaigns } = JSON.parse(out.join('')) as {
    readonly campaigns: {
      readonly basis: string;
      readonly groups: readonly Readonly<Record<string, Json>>[];
    };
  };
  expect(campaigns.basis).toBe('summary');
  expect(
    campaigns.groups.map(({ group, rank, tied, summary: sum, histogram: by }) => [
      group,
      rank,
      tied,
      sum,
      by,
    ]),
  ).toEqual([
    [
      'Beans',
      { best: 1, worst: 1, tied: 0 },
      [],
      { estimate: 71, interval: [67, 75] },
      { estimate: 27, interval: [23, 31] },
    ],
    ['Peas', { best: 2, worst: 2, tied: 0 }, [], { estimate: 33, interval: [29, 37] }, null],
    ['Leeks', { best: 3, worst: 3, tied: 0 }, [], { estimate: 1, interval: [0, 5] }, null],
    ['Radishes', null, [], null, { estimate: 5, interval: [1, 9] }],
  ]);
  expect(campaigns.groups[0]?.['rate']).toMatchObject({ estimate: 0.71 });
});

test.each([
  ['a summary that lacks a group', () => posted(summary.slice(0, 3))],
  ['sources that are left out', () => [...posted(), '--as-of', new Date(START + days(31)).toISOString()]],
])('%s decides no rank', async (name, more) => {
  const left = name.startsWith('sources')
    ? [{ ...sources[0], source_event_id: '900', time: START + days(10) }]
    : [];
  expect(
    await main([
      ...['estimate', '--reports', file('r.ndjson', reports)],
      ...['--sources', file('s.ndjson', [...sources, ...left]), ...byCampaign, ...more(), '--table'],
    ]),
  ).toBe(0);
  expect(out.join('\n')).toContain('The summary report decides no rank');
  expect(rowOf('rank')[1]).toBe('conversion rate');
  // By event-level reports, half of the Beans.
  expect(parseFloat(rowOf('Beans')[2] ?? '')).toBeCloseTo(50, 0);
});

test.each([
  [
    'another column',
    ['--group-by', 'destination', '--table'],
    'must have slices by destination, has slices by campaign',
  ],
  ['no groups', ['--table'], 'must come with groups (--group-by), and without --output'],
  [
    'rows',
    [...byCampaign, '--output', 'rows.csv'],
    'must come with groups (--group-by), and without --output',
  ],
])('%s is an error that says what to write', async (_, more, message) => {
  expect(await estimated(...more, ...posted())).toBe(2);
  expect(err.join('')).toContain(message);
});

test('a cell that is no number is an error that names the place', async () => {
  expect(
    await estimated(...byCampaign, '--table', ...posted([{ ...slice('Beans', 1), consistent: 'many' }])),
  ).toBe(2);
  expect(err.join('')).toMatch(/summary\.csv: line 2: column "consistent": must be a number, was "many"/);
});
