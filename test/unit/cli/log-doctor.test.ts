import { execFileSync, spawnSync } from 'node:child_process';
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

async function simulated(input: string): Promise<number | null> {
  const command = [
    ...['simulate', '--map', MAP, '--unsorted', '--no-noise', '--seed', '1', '--threads', '1'],
    ...['--input', input, '--output', pathOf('reports.ndjson'), '--sources-output', pathOf('sources.ndjson')],
  ];
  if (!input.endsWith('.parquet')) return main(command);
  // Parquet needs modules that this test runner does not load.
  const { status, stderr } = spawnSync(process.execPath, ['cli/cointoss.mjs', ...command], {
    cwd: path.join(__dirname, '../../..'),
    encoding: 'utf8',
  });
  err.push(stderr);
  return status;
}

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
    'flags that match nothing',
    (name, value) =>
      name === 'click' || name === 'conversion' ? (value === 1 ? 'ja' : 'nein') : String(value),
    /none of 60 rows makes an event: events\[0\]: no row makes it: column "click" must be "1", was "nein" or "ja"/,
  ],
])('is refused: %s', async (_, written, message) => {
  expect(await simulated(file('bad.tsv', tsv(written)))).toBe(2);
  expect(err.join('')).toMatch(message);
});
