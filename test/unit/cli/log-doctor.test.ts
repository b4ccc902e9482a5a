import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { main } from '../../../cli/main';
import { isJsonObject, type Json } from '../../../src/model/json';
import { useCommands } from '../helpers/command';

const { err, pathOf, file } = useCommands();

const MAP = path.join(__dirname, '../../../scenarios/criteo-attribution.map.json');

const COLUMNS = [
  ...['timestamp', 'uid', 'campaign', 'conversion', 'conversion_timestamp', 'conversion_id', 'attribution'],
  ...['click', 'click_pos', 'click_nb', 'cost', 'cpo', 'time_since_last_click'],
  ...Array.from({ length: 9 }, (_, index) => `cat${index + 1}`),
];

type Row = Readonly<Record<string, number>>;

/** A made-up file in the format of Criteo's attribution data: three campaigns, nine users. */
const rows: readonly Row[] = Array.from({ length: 60 }, (_, index) => {
  const converts = index % 4 === 0;
  const known: Record<string, number> = {
    timestamp: 100 * index,
    uid: 20073966 + (index % 9),
    campaign: 300 + (index % 3),
    conversion: converts ? 1 : 0,
    conversion_timestamp: converts ? 100 * index + 5000 : -1,
    conversion_id: converts ? 3245423 + index : -1,
    click: index % 2,
    cost: 0.00001,
  };
  return Object.fromEntries(COLUMNS.map((name) => [name, known[name] ?? -1]));
});

type Written = (name: string, value: number) => string;

const tsv = (written: Written): string =>
  [COLUMNS.join('\t'), ...rows.map((row) => COLUMNS.map((name) => written(name, row[name] ?? 0)).join('\t'))]
    .map((line) => `${line}\n`)
    .join('');

const commas = (written: Written): string => tsv(written).replaceAll('\t', ',');

const plain: Written = (_, value) => String(value);

/** A whole number as pandas writes it in a column of floats. */
const float = (value: number): string => (Number.isInteger(value) ? `${value}.0` : String(value));

const simulated = (input: string, ...more: string[]): Promise<number> =>
  main([
    ...['simulate', '--map', MAP, '--unsorted', '--no-noise', '--seed', '1', '--threads', '1'],
    ...['--input', input, '--output', pathOf('reports.ndjson'), '--sources-output', pathOf('sources.ndjson')],
    ...more,
  ]);

const PROFILE =
  '60 rows made events[0] 30, events[1] 30, events[2] 15; from 1970-01-01T00:00:00.000Z to 1970-01-01T02:56:40.000Z (0.123 days); 3 sites from columns: https://campaign-300.example, https://campaign-301.example, https://campaign-302.example\n';

const results = (): unknown[] =>
  ['reports.ndjson', 'sources.ndjson'].map((name) =>
    readFileSync(pathOf(name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => {
        const json = JSON.parse(line) as Json;
        return isJsonObject(json) ? (json['payload'] ?? json) : json;
      }),
  );

test.each<[string, Written]>([
  [
    'columns with gaps, whose whole numbers are floats',
    (name, value) => (name === 'cost' ? String(value) : float(value)),
  ],
  [
    'flags as True and False',
    (name, value) =>
      name === 'click' || name === 'conversion' ? (value === 1 ? 'True' : 'False') : String(value),
  ],
  ['quoted cells', (_, value) => `"${value}"`],
])('as pandas writes it: %s', async (_, written) => {
  expect(await simulated(file('plain.tsv', tsv(plain)))).toBe(0);
  const expected = results();
  expect(err.join('')).toContain(PROFILE);
  expect(await simulated(file('pandas.tsv', tsv(written)))).toBe(0);
  expect(results()).toEqual(expected);
});

test('a map is refused if no conversion has an earlier source, as if their times had different units', async () => {
  const input = file(
    'apart.tsv',
    tsv((name, value) => String(name === 'timestamp' ? 1000 * value + 1e6 : value)),
  );
  expect(await simulated(input)).toBe(2);
  expect(err.join('')).toContain('map.json: none of 15 conversions has an earlier source of its user, site');
  expect(await simulated(input, '--allow-no-effect')).toBe(0);
  expect(err.join('')).toContain('warning: none of 15 conversions');
});

test('as pandas writes it: with commas, although the map names tabs', async () => {
  expect(await simulated(file('plain.tsv', tsv(plain)))).toBe(0);
  const expected = results();
  expect(
    await simulated(
      file(
        'commas.csv',
        commas((_, value) => `"${value}"`),
      ),
    ),
  ).toBe(0);
  expect(results()).toEqual(expected);
});

/** In a process of its own, since jest loads no ES modules. Whole numbers are integers of 64 bits, as pandas writes them. */
const WRITE_PARQUET = `
import { readFileSync } from 'node:fs';
import { parquetWriteFile } from 'hyparquet-writer';
const columnData = JSON.parse(readFileSync(0, 'utf8')).map(({ name, data }) =>
  data.every(Number.isInteger) ? { name, data: data.map(BigInt), type: 'INT64' } : { name, data, type: 'DOUBLE' },
);
parquetWriteFile({ filename: process.argv[1], columnData });
`;

const WRITE_TIMES = `
import { readFileSync } from 'node:fs';
import { parquetWriteFile } from 'hyparquet-writer';
const at = JSON.parse(readFileSync(0, 'utf8')).map((time) => new Date(time));
parquetWriteFile({
  filename: process.argv[1],
  columnData: [{ name: 'user', data: at.map((_, index) => String(index)) }, { name: 'at', data: at, type: 'TIMESTAMP' }],
});
`;

test.each<[string, string, (name: string) => string]>([
  ['CSV', 'pandas.csv', (name) => file(name, commas(plain))],
  [
    'CSV with an index',
    'pandas.csv',
    (name) =>
      file(
        name,
        commas(plain)
          .trimEnd()
          .split('\n')
          .map((line, index) => `${index === 0 ? '' : index - 1},${line}\n`)
          .join(''),
      ),
  ],
  [
    'CSV in gzip',
    'pandas.csv.gz',
    (name) => {
      writeFileSync(pathOf(name), gzipSync(commas(plain)));
      return pathOf(name);
    },
  ],
  [
    'Parquet',
    'pandas.parquet',
    (name) => {
      execFileSync(process.execPath, ['--input-type=module', '-e', WRITE_PARQUET, pathOf(name)], {
        input: JSON.stringify(
          COLUMNS.map((column) => ({ name: column, data: rows.map((row) => row[column]) })),
        ),
        cwd: __dirname,
      });
      return pathOf(name);
    },
  ],
  ['a list of records in JSON', 'pandas.json', (name) => file(name, JSON.stringify(rows))],
  ['records in JSON, a line each', 'pandas.jsonl', (name) => file(name, rows)],
  [
    'TSV with quotes',
    'pandas.tsv',
    (name) =>
      file(
        name,
        tsv((_, value) => `"${value}"`),
      ),
  ],
  [
    'CSV with floats for ids',
    'pandas.csv',
    (name) =>
      file(
        name,
        commas((_, value) => float(value)),
      ),
  ],
])('the profile of a file that pandas saved as %s is that of the file itself', async (_, name, write) => {
  expect(await simulated(write(name))).toBe(0);
  expect(err.join('')).toContain(PROFILE);
  const found = results();
  expect(await simulated(file('plain.tsv', tsv(plain)))).toBe(0);
  expect(found).toEqual(results());
});

test.each<[string, Written, RegExp]>([
  ...['', 'nan', '<NA>', 'None'].map((gap): [string, Written, RegExp] => [
    `a gap that names a site (${gap || 'empty'})`,
    (name, value) => (name === 'campaign' && value === 301 ? gap : String(value)),
    /line 3: column "campaign": must be given, because it names a site in "https:\/\/campaign-\{campaign\}\.example", was /,
  ]),
  [
    'digits lost in a float',
    (name, value) => (name === 'campaign' ? (22_589_000 + value).toExponential(5) : String(value)),
    /column "campaign": must be a number with all its digits \(write the column as text or integers, not as floating-point numbers\), was "2\.25893e\+7"/,
  ],
  [
    'an id of 19 digits from a float',
    (name, value) => (name === 'uid' ? `14129308857638${value}.0` : String(value)),
    /column "uid": must be a number with all its digits/,
  ],
  [
    'a name of a site with a dot in it',
    (name, value) => (name === 'campaign' ? `${value}.5` : String(value)),
    /column "campaign": must be without a dot, because it names a site in "https:\/\/campaign-\{campaign\}\.example", was "300\.5"/,
  ],
  [
    'a name that would make another site',
    (name, value) => (name === 'campaign' && value === 301 ? 'a/301' : String(value)),
    /line 3: column "campaign": must be without "\/", "\\", "\?", "#", "@", ":" and "%", because it names a site/,
  ],
  [
    'names of one site in two spellings',
    (name, value) => (name === 'campaign' ? (value === 301 ? 'Shoes' : 'shoes') : String(value)),
    /line 3: column "campaign": must be written as in an earlier row, which made "campaign-shoes\.example", because both name the same site in .*, was "campaign-Shoes\.example"/,
  ],
  ...['', 'nan', 'None'].map((gap): [string, Written, RegExp] => [
    `a gap for a user (${gap || 'empty'})`,
    (name, value) => (name === 'uid' && value === 20073967 ? gap : String(value)),
    /line 3: column "uid": must be a user( \(programs write this cell for a missing value; .*\))?, was /,
  ]),
  [
    'sources of which none is valid',
    (name, value) => (name === 'cat1' ? 'x'.repeat(26) : String(value)),
    /must map rows to valid sources; none of the first 60 is valid .*filter_data\.cat1/,
  ],
  [
    'flags that match nothing',
    (name, value) =>
      name === 'click' || name === 'conversion' ? (value === 1 ? 'ja' : 'nein') : String(value),
    /none of 60 rows makes an event: events\[0\]: no row makes it: column "click" must be "1", was "nein" or "ja"/,
  ],
])('is refused: %s', async (_, written, message) => {
  expect(await simulated(file('bad.tsv', tsv(written)))).toBe(2);
  expect(err.join('')).toMatch(message);
});

/** The map with other times. */
const mapIn = (times: { readonly unit: string; readonly relative?: boolean }): string =>
  file('map.json', {
    ...(JSON.parse(readFileSync(MAP, 'utf8').replace(/^\/\/.*$/gm, '')) as object),
    ...times,
  });

const from = 1_768_003_200;
const isoOf = (time: number): string => new Date(time).toISOString();

test.each<[string, string, (seconds: number) => string, RegExp | null]>([
  ['seconds as seconds', 'seconds', String, null],
  [
    'seconds as milliseconds',
    'milliseconds',
    String,
    /map\.json: unit: must be that of the times, was "milliseconds"; times such as 1768003200 look like seconds since 1970 \(write "unit": "seconds"; write "relative": true if the times count from another moment than 1970\)$/m,
  ],
  [
    'seconds as minutes',
    'minutes',
    String,
    /map\.json: unit: must be that of the times, was "minutes"; the first one would be 5331-/,
  ],
  ['dates', 'iso', (seconds) => isoOf(1000 * seconds), null],
  ['dates where numbers are expected', 'seconds', (seconds) => isoOf(1000 * seconds), null],
  // As `pandas.to_datetime` makes them, which takes nanoseconds.
  [
    'dates made of seconds as nanoseconds',
    'iso',
    (seconds) => isoOf(seconds / 1e6),
    /map\.json: all times are in 1970, such as 1970-01-01T00:00:01\.768Z; expected when the events happened/,
  ],
  [
    'dates made of milliseconds as nanoseconds',
    'iso',
    (seconds) => isoOf(seconds / 1e3),
    /map\.json: all times are in 1970, such as 1970-01-01T00:29:28\.003Z/,
  ],
])('times of another unit are refused: %s', async (_, unit, written, message) => {
  const time: Written = (name, value) =>
    name === 'timestamp' || (name === 'conversion_timestamp' && value > 0)
      ? written(from + value)
      : String(value);
  const run = (map: string): Promise<number> =>
    main([
      ...['simulate', '--map', map, '--unsorted', '--no-noise', '--seed', '1', '--threads', '1'],
      ...['--input', file('log.tsv', tsv(time)), '--output', pathOf('reports.ndjson')],
    ]);
  const code = await run(mapIn({ unit }));
  if (message !== null) expect(err.join('')).toMatch(message);
  expect(code).toBe(message === null ? 0 : 2);
  // Times can count from any moment.
  expect(await run(mapIn({ unit, relative: true }))).toBe(0);
});

test.each([0, 1000, 86_400_000])(
  'milliseconds that begin %i after some moment are not refused',
  async (start) => {
    const time: Written = (name, value) =>
      name === 'timestamp' || (name === 'conversion_timestamp' && value > 0)
        ? String(start + 1e6 * value)
        : String(value);
    expect(
      await main([
        ...[
          'simulate',
          '--map',
          mapIn({ unit: 'milliseconds' }),
          '--unsorted',
          '--seed',
          '1',
          '--threads',
          '1',
        ],
        ...['--input', file('log.tsv', tsv(time)), '--output', pathOf('reports.ndjson')],
      ]),
    ).toBe(0);
  },
);

test('people may have names that look like missing values', async () => {
  const names = ['none', 'Nan', 'Null', 'NONE', 'nat'];
  const named: Written = (name, value) => (name === 'uid' ? (names[value - 20073966] ?? 'x') : String(value));
  expect(await simulated(file('log.tsv', tsv(named)))).toBe(0);
  expect(err.join('')).toContain('users 6,');
});

test('conversions without an id count each', async () => {
  const named: Written = (name, value) => (name === 'conversion_id' && value > 0 ? 'nan' : String(value));
  expect(await simulated(file('log.tsv', tsv(named)))).toBe(0);
  expect(err.join('')).toContain('; 15 events without the id in "once", so each counts; ');
  expect(err.join('')).not.toContain('repeated');
});

test('a time in Parquet is one in every unit, and ISO 8601 in conditions and texts', async () => {
  const at = Array.from({ length: 3 }, (_, index) => isoOf(1000 * (from + index)));
  execFileSync(process.execPath, ['--input-type=module', '-e', WRITE_TIMES, pathOf('log.parquet')], {
    input: JSON.stringify(at),
    cwd: __dirname,
  });
  const map = file('times.json', {
    user: 'user',
    unit: 'seconds',
    events: [
      {
        when: { at: at.slice(1) },
        time: 'at',
        event: {
          registration_request: {
            context_origin: 'https://news.example',
            'Attribution-Reporting-Eligible': 'event-source',
          },
          responses: [
            {
              url: 'https://ads.example/source',
              response: {
                'Attribution-Reporting-Register-Source': {
                  source_event_id: '{#}',
                  destination: 'https://shop.example',
                  filter_data: { at: ['{at:25}'] },
                },
              },
            },
          ],
        },
      },
    ],
  });
  const outputs = ['--output', pathOf('reports.ndjson'), '--sources-output', pathOf('sources.ndjson')];
  expect(
    await main(['simulate', '--map', map, '--input', pathOf('log.parquet'), '--threads', '1', ...outputs]),
  ).toBe(0);
  const sources = readFileSync(pathOf('sources.ndjson'), 'utf8').trimEnd().split('\n');
  expect(sources.map((line) => JSON.parse(line) as Json)).toMatchObject(
    at.slice(1).map((time) => ({ at: time })),
  );
});

test('one conversion is counted once, however its id is written', async () => {
  const once = rows.map((row): Row => ({ ...row, uid: 7, conversion_id: row['conversion'] === 1 ? 5 : -1 }));
  const text = [
    COLUMNS,
    ...once.map((row, index) =>
      COLUMNS.map((name) => `${row[name] ?? 0}${name === 'conversion_id' && index % 8 === 0 ? '.0' : ''}`),
    ),
  ]
    .map((cells) => `${cells.join('\t')}\n`)
    .join('');
  expect(await simulated(file('log.tsv', text))).toBe(0);
  expect(err.join('')).toContain('repeated events 14');
});

test('the profile says how the cells of each column are written', async () => {
  const gaps: Written = (name, value) =>
    name === 'cat1' ? (['nan', '7.0', 'True', '1e5', '2026-01-01', 'x'][value] ?? '') : String(value);
  const varied = rows.map((row, index): Row => ({ ...row, cat1: index % 6, click: index % 2 }));
  const text = [
    COLUMNS.join('\t'),
    ...varied.map((row) => COLUMNS.map((name) => gaps(name, row[name] ?? 0)).join('\t')),
  ]
    .map((line) => `${line}\n`)
    .join('');
  expect(await simulated(file('log.tsv', text))).toBe(0);
  expect(err.join('')).toContain(
    'columns: uid, timestamp, click, campaign, conversion_timestamp, conversion_id, conversion: whole numbers ("20073966"); cat1: 10 empty ("nan"), 10 whole numbers with decimals ("7.0"), 10 True or False ("True"), 10 numbers with an exponent ("1e5"), 10 dates ("2026-01-01"), 10 texts ("x")\n',
  );
});

describe('a log of events', () => {
  const logOf = (unit: number): string =>
    file(
      'events.ndjson',
      [0, 1].map((index) => ({
        user: `${index}`,
        timestamp: String((from + index) * unit),
        registration_request: { context_origin: 'https://a.example' },
        responses: [{ url: 'https://ads.example/x', response: {} }],
      })),
    );

  test.each([[['--threads', '1']], [['--threads', '1', '--unsorted']]])(
    'says its time span, and whether that looks like seconds (%p)',
    async (options) => {
      for (const [unit, span, warns] of [
        [1000, 'events from 2026-01-10T00:00:00.000Z to 2026-01-10T00:00:01.000Z\n', false],
        [1, 'events from 1970-01-21T11:06:43.200Z to 1970-01-21T11:06:43.201Z\n', true],
      ] as const) {
        expect(await main(['simulate', '--input', logOf(unit), '--output', '-', ...options])).toBe(0);
        const said = err.splice(0).join('');
        expect(said).toContain(span);
        expect(
          said.includes(
            'timestamps such as "1768003200" look like seconds since 1970; they must be milliseconds (add 000)',
          ),
        ).toBe(warns);
      }
    },
  );
});

test.each<[string, (uid: number) => bigint, boolean]>([
  ['that went through a float', (uid) => BigInt(Number(10n ** 18n + BigInt(uid) * 7_919_003n)), true],
  ['with all digits', (uid) => 10n ** 18n + BigInt(uid) * 7_919_003n, false],
])('the profile says of ids %s whether all are rounded', async (_, idOf, areRounded) => {
  const ids = tsv((name, value) => String(name === 'uid' ? idOf(value) : value));
  expect(await simulated(file('ids.tsv', ids))).toBe(0);
  const rounded = 'uid: whole numbers, all with no more digits than floating-point numbers have: if they';
  expect(err.join('').includes(rounded)).toBe(areRounded);
});
