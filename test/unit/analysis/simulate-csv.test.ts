import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputError, readJson } from '../../../cli/io/input';
import { InputFiles } from '../../../cli/io/input-files';
import { mappedLines, Progress, type RawLine } from '../../../cli/simulate/lines';
import { batchesOf, inOrderOfTime, usersOf } from '../../../cli/simulate/users';
import { chromiumLimits } from '../../../src/model/limits';
import type { Json } from '../../../src/model/json';
import { seededRandomStreams } from '../../../analysis/random/sources';
import { replaySettings } from '../../../analysis/scenario/scenario';
import { parseCsvMapping, type CsvMapping } from '../../../analysis/simulation/csv-mapping';
import { parseLogLine } from '../../../analysis/simulation/log-line';
import { simulateUser } from '../../../analysis/simulation/user';
import { accepted, expectRefused } from '../helpers/parsing';

const CRITEO = join(__dirname, '../../../scenarios/criteo-attribution.map.json');
const COLUMNS =
  'timestamp uid campaign conversion conversion_timestamp conversion_id attribution click click_pos click_nb cost cpo time_since_last_click cat1 cat2 cat3 cat4 cat5 cat6 cat7 cat8 cat9';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cointoss-csv-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const mapping = (): CsvMapping => accepted(parseCsvMapping(readJson(CRITEO)));

function fileWith(rows: readonly string[], name = 'log.tsv'): InputFiles {
  writeFileSync(join(folder, name), rows.map((row) => `${row}\n`).join(''));
  return new InputFiles([join(folder, name)]);
}

async function users(
  input: InputFiles,
  mapping: CsvMapping,
  progress = new Progress(),
  skipInvalid = false,
): Promise<(readonly RawLine[])[]> {
  const found: (readonly RawLine[])[] = [];
  const all = usersOf(
    mappedLines(input, { file: CRITEO, mapping, csv: true, skipInvalid }, progress, () => true),
    false,
  );
  for await (const batch of batchesOf(inOrderOfTime(all), progress))
    found.push(...batch.map(({ lines }) => lines));
  return found;
}

/** A row of the data set: time, user, campaign, conversion_timestamp and conversion_id (-1 for none), click. */
const row = (
  time: number,
  user: number,
  campaign: number,
  converted: number,
  id: number,
  click: 0 | 1,
): string =>
  [
    time,
    user,
    campaign,
    converted < 0 ? 0 : 1,
    converted,
    id,
    0,
    click,
    -1,
    -1,
    0.00001,
    0.1,
    -1,
    5824233,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
  ].join('\t');

const ROWS = [
  COLUMNS.replaceAll(' ', '\t'),
  // One conversion. Both impressions before it name it, and the second one was clicked.
  row(0, 20, 73, 400_000, 111, 0),
  row(200, 20, 73, 400_000, 111, 1),
  row(300, 20, 99, -1, -1, 1),
  row(500, 7, 73, -1, -1, 0),
];

test('Criteo: rows are impressions, and a conversion counts once', async () => {
  const progress = new Progress();
  const found = await users(fileWith(ROWS), mapping(), progress);
  const events = found.map((lines) =>
    lines.map(({ text }) => accepted(parseLogLine(JSON.parse(text) as Json))),
  );
  expect(
    events.map((all) =>
      all.map(({ user, event }) => [user, event.time, event.kind === 'request' ? event.eligibility : '']),
    ),
  ).toEqual([
    [
      ['20', 0, 'event-source'],
      ['20', 200_000, 'navigation-source'],
      ['20', 300_000, 'navigation-source'],
      ['20', 400_000_000, 'unset'],
    ],
    [['7', 500_000, 'event-source']],
  ]);
  expect(found[0]?.map(({ place }) => place)).toEqual(
    [2, 3, 4, 2].map((line) => `${join(folder, 'log.tsv')}: line ${line}`),
  );
  expect(progress).toMatchObject({ lines: 4, unmapped: 0, invalid: 0, users: 2, repeated: 1 });

  const simulation = {
    settings: replaySettings,
    limits: chromiumLimits,
    noise: false,
    allocation: 'per-cap',
    matching: null,
  } as const;
  const { reports } = await simulateUser(
    (events[0] ?? []).map(({ event }) => event),
    simulation,
    seededRandomStreams('criteo'),
  );
  expect(reports).toMatchObject([
    {
      payload: {
        attribution_destination: 'https://campaign-73.example',
        source_event_id: '2',
        source_type: 'navigation',
        trigger_data: '1',
      },
    },
  ]);
});

test('rows that meet no condition are counted', async () => {
  const progress = new Progress();
  await users(
    fileWith([...ROWS, row(600, 7, 73, -1, -1, 0).replace('\t0\t0\t-1', '\t0\t2\t-1')]),
    mapping(),
    progress,
  );
  expect(progress.unmapped).toBe(1);
});

test.each<[string, readonly string[], string]>([
  ['no header', [], 'line 1: must be the names of the columns'],
  [
    'a missing column',
    ['uid\ttimestamp'],
    'line 1: must name one column "click", which is to be read; has uid, timestamp',
  ],
  [
    'no time',
    [...ROWS, row(NaN, 7, 73, -1, -1, 0)],
    'line 6: column "timestamp": must be seconds with at most three decimals, was "NaN"',
  ],
  [
    'a date that does not exist',
    [...ROWS, row(NaN, 7, 73, -1, -1, 0).replace('NaN', '2024-02-30')],
    'line 6: column "timestamp": must be a date and time that exist, was "2024-02-30"',
  ],
  [
    'a date before 1970',
    [...ROWS, row(NaN, 7, 73, -1, -1, 0).replace('NaN', '1969-12-31')],
    'line 6: column "timestamp": must be a time since 1970 in ISO 8601, as 2024-01-31T12:00:00Z, was "1969-12-31"',
  ],
  [
    'no user',
    [...ROWS, row(1, 7, 73, -1, -1, 0).replace('\t7\t', '\t\t')],
    'line 6: column "uid": must be a user, was ""',
  ],
  ['a short row', [...ROWS, '1\t2'], 'line 6: must have 22 columns, has 2'],
  [
    'a user who comes again',
    [...ROWS, row(900, 20, 1, -1, -1, 0)],
    'line 6: user: must have all lines together, "20" had others before',
  ],
])('%s is an error with its line', async (_, rows, message) => {
  const error: unknown = await users(fileWith(rows), mapping()).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InputError);
  expect(String(error)).toContain(`log.tsv: ${message}`);
});

const event = { registration_request: {}, responses: [] };

test.each<[string, Json, string, string]>([
  ['no events', { user: 'u', events: [] }, 'events', 'must have at least 1 item, has 0'],
  [
    'a field too many',
    { user: 'u', tine: 't', events: [{ time: 't', event }] },
    'tine',
    'is not a known field',
  ],
  [
    'a user of its own',
    { user: 'u', events: [{ time: 't', event: { ...event, user: 'x' } }] },
    'events[0].event',
    'must not have "user"',
  ],
  [
    'a delimiter',
    { user: 'u', delimiter: '', events: [{ time: 't', event }] },
    'delimiter',
    'must be one character',
  ],
  [
    'a condition',
    { user: 'u', events: [{ time: 't', event, when: { c: 1 } }] },
    'events[0].when.c',
    'must be a list',
  ],
  [
    'a unit',
    { user: 'u', unit: 'weeks', events: [{ time: 't', event }] },
    'unit',
    'must be "milliseconds" or "seconds" or "minutes" or "hours" or "days" or "iso"',
  ],
])('a mapping with a mistake is refused: %s', (_, document, path, message) => {
  expectRefused(parseCsvMapping(document), path, message);
});

test('cells fill in texts, milliseconds are whole, and several values can meet a condition', async () => {
  const map = accepted(
    parseCsvMapping({
      user: 'who',
      unit: 'milliseconds',
      events: [
        { when: { kind: ['a', 'b'] }, time: 'at', event: { ...event, note: ['{who} {{kind}}', 5, null] } },
      ],
    }),
  );
  const found = await users(fileWith(['at,who,kind', '7,"x,""y""",b', '8,"x,""y""",c'], 'log.csv'), map);
  expect(found.flat().map(({ text }) => JSON.parse(text) as object)).toEqual([
    { user: 'x,"y"', timestamp: '7', ...event, note: ['x,"y" {b}', 5, null] },
  ]);
});
