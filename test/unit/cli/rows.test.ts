import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { compressor } from '../../../cli/io/compression';
import { namesText } from '../../../cli/io/input';
import { InputFiles, shareRead } from '../../../cli/io/input-files';
import { cellText } from '../../../cli/io/file-row';
import { main } from '../../../cli/main';
import { timeLeft } from '../../../cli/io/progress';
import { eachRow, type ReadOptions } from '../../../cli/io/rows';
import { writeTable } from '../../../cli/io/table-file';
import { valuesOf } from '../../../node/json-list';
import type { Json, JsonObject } from '../../../src/model/json';
import { demoUser } from '../../../analysis/simulation/demo-month';
import { generateUser } from '../../../analysis/simulation/generate';
import { useCommands } from '../helpers/command';
import { isLong } from '../helpers/is-long';

const ROOT = path.join(__dirname, '../../..');
const { out, err, pathOf, file } = useCommands();

interface Run {
  readonly code: number;
  readonly err: string;
}

async function run(...args: readonly string[]): Promise<Run> {
  err.length = 0;
  const code = await main([...args, ...(args[0] === 'simulate' ? ['--threads', '1'] : [])]);
  return { code, err: err.join('') };
}

async function rowsIn(paths: readonly string[], options: ReadOptions = {}): Promise<Json[]> {
  const rows: Json[] = [];
  for await (const { value } of eachRow(new InputFiles(paths), options)) rows.push(value);
  return rows;
}

const ROWS: readonly JsonObject[] = [
  { who: 'ada', what: 'a, "quoted"\ntext', sum: '=1+1' },
  { who: 'zoe', sum: '-3' },
];

test('every format of text gives the same rows, from one file, many or a folder', async () => {
  for (const name of ['a.csv', 'b.tsv', 'c.csv.gz', 'd.ndjson']) await writeTable(pathOf(name), () => ROWS);
  mkdirSync(pathOf('logs/day=2'), { recursive: true });
  writeFileSync(pathOf('logs/part-0.ndjson.gz'), gzipSync(JSON.stringify(ROWS[0])));
  writeFileSync(pathOf('logs/part-1.ndjson'), JSON.stringify(ROWS[1]));
  // What Spark leaves beside the data.
  writeFileSync(pathOf('logs/_SUCCESS'), '');
  writeFileSync(pathOf('logs/.part-0.crc'), 'no JSON');
  for (const name of ['a.csv', 'b.tsv', 'c.csv.gz', 'd.ndjson', 'logs'])
    expect([name, await rowsIn([pathOf(name)])]).toEqual([name, ROWS]);
  expect(await rowsIn([pathOf('a.csv'), pathOf('d.ndjson')])).toEqual([...ROWS, ...ROWS]);

  writeFileSync(pathOf('logs/day=2/part-2.ndjson'), '{"who": "eve"}');
  expect((await rowsIn([pathOf('logs')]))[0]).toEqual({ who: 'eve', day: '2' });
  const input = new InputFiles([pathOf('a.csv'), pathOf('logs')]);
  expect(shareRead([input])).toBe(0);
  for await (const row of eachRow(input)) expect(row.place).toMatch(/: line \d+$/);
  expect(shareRead([input])).toBe(1);
});

describe('what a file is, its content shows', () => {
  const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
  const csv = 'who,what\nada,"a, b"\nzoé,\n';
  const json = '{"who":"ada","what":"a, b"}\n{"who":"zoé"}\n';
  const list = '\n[{"who":"ada",\n"what":"a, b"},{"who":"zo\\u00e9"}]\n';
  const expected: readonly Json[] = [{ who: 'ada', what: 'a, b' }, { who: 'zoé' }];
  const texts: readonly (readonly [string, string])[] = [
    ['lines', json],
    ['lines after a mark', `\ufeff${json}`],
    ['a list', list],
    ['commas', csv],
    ['semicolons', csv.replace(/,/g, ';').replace('"a; b"', '"a, b"')],
    ['tabs', 'who\twhat\nada\ta, b\nzoé\t\n'],
  ];
  const packed: readonly (readonly [string, (text: string) => Promise<Uint8Array> | Uint8Array])[] = [
    ['as it is', (text) => Buffer.from(text)],
    ['gzip', (text) => gzipSync(text)],
    ['two members of gzip', (text) => Buffer.concat([gzipSync(text.slice(0, 9)), gzipSync(text.slice(9))])],
    ['Zstandard', async (text) => (await compressor('zstd'))(Buffer.from(text))],
    ['ZIP', (text) => zipSync({ '__MACOSX/a': Buffer.from('x'), 'a/a': Buffer.from(text) })],
    ['UTF-16', utf16],
    ['UTF-16 of the other order', (text) => utf16(text).swap16()],
    ['gzip of UTF-16', (text) => gzipSync(utf16(text))],
  ];

  test.each(packed)('%s, whatever its name', async (_how, pack) => {
    for (const [what, text] of texts)
      for (const name of ['a', 'a.csv', 'a.tsv', 'a.ndjson.gz', 'a.parquet', 'a.zip']) {
        writeFileSync(pathOf(name), await pack(text));
        expect([what, name, await rowsIn([pathOf(name)])]).toEqual([what, name, expected]);
      }
  });

  test('a value that arrives in pieces is whole, and its first line is told', async () => {
    const value = { who: 'ada \\ "[', of: [1, { two: [2, ']'] }] };
    const bytes = Buffer.from(`[\n${JSON.stringify(value, null, 1)}\n,\n 7]`);
    const pieces = Readable.from([...bytes].map((byte) => Buffer.of(byte)));
    const rows: unknown[] = [];
    for await (const some of valuesOf(pieces))
      rows.push(...some.map((row) => [row.line, JSON.parse(row.value) as unknown]));
    expect(rows).toEqual([
      [2, value],
      [15, 7],
    ]);
  });

  test('a list is simulated as its lines are, and quotes in tabs are letters', async () => {
    const events = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((user) => demoUser('list', user).lines);
    const outputs: string[] = [];
    for (const content of [
      events.map((one) => JSON.stringify(one)).join('\n'),
      JSON.stringify(events, null, 2),
    ]) {
      writeFileSync(pathOf('log'), content);
      await run('simulate', '--input', pathOf('log'), '--seed', '1', '--output', pathOf('reports.ndjson'));
      outputs.push(readFileSync(pathOf('reports.ndjson'), 'utf8'));
    }
    expect(outputs[0]).not.toBe('');
    expect(outputs[1]).toBe(outputs[0]);
    expect(await rowsIn([file('a.tsv', 'who\twhat\nada\t5" screen\n')])).toEqual([
      { who: 'ada', what: '5" screen' },
    ]);
  });
});

test.each<[string, string, ReadOptions, string]>([
  ['a column that is missing', 'who,what\n', { wanted: ['sum'] }, 'line 1: must name one column "sum"'],
  ['a column that is there twice', 'who,who\n', {}, 'line 1: must name one column "who"'],
  ['a short row', 'who,what\n\na\n', {}, 'line 3: must have 2 columns, has 1'],
])('%s is named', async (_, content, options, message) => {
  await expect(rowsIn([file('bad.csv', content)], options)).rejects.toThrow(
    `${pathOf('bad.csv')}: ${message}`,
  );
});

test('of very many columns, a message names some and counts the others', () => {
  const names = Array.from({ length: 60 }, (_, column) => `c${column}`);
  expect(namesText(names.slice(0, 3))).toBe('c0, c1, c2');
  expect(namesText(names)).toBe(`${names.slice(0, 50).join(', ')}, 10 more`);
});

test('a line that nests too deep is refused', async () => {
  const deep = `{"user":${'['.repeat(20_000)}${']'.repeat(20_000)}}\n`;
  await expect(rowsIn([file('deep.ndjson', `{"user":[[]]}\n${deep}`)])).rejects.toThrow(
    `${pathOf('deep.ndjson')}: line 2: must be JSON: nested more than 200 levels deep`,
  );
});

test('an output that is not complete is not read with its folder', () => {
  mkdirSync(pathOf('out'));
  file('out/a.ndjson.unfinished', '');
  expect(() => new InputFiles([pathOf('out')])).toThrow('a.ndjson.unfinished: must not be there');
  mkdirSync(pathOf('none'));
  expect(() => new InputFiles([pathOf('none')])).toThrow('none: must have files, has none');
});

test('a folder says which ledgers it leaves out, and a file with such a name is read', () => {
  mkdirSync(pathOf('log'));
  file('log/a.ndjson', '');
  const names = Array.from({ length: 12 }, (_, index) => `${String.fromCharCode(98 + index)}.ledger`);
  for (const name of names) file(`log/${name}`, '');
  expect(new InputFiles([pathOf('log')]).names).toEqual([pathOf('log/a.ndjson')]);
  expect(err.join('')).toBe(
    `cointoss: ${pathOf('log')}: left out, because ledgers are no data: ${names.slice(0, 10).join(', ')} and 2 more; to read one, name it\n`,
  );
  expect(new InputFiles([pathOf('log/b.ledger')]).names).toEqual([pathOf('log/b.ledger')]);
});

test('the time left is that of the rest at the pace so far', () => {
  let [now, share] = [5000, 0.5];
  const left = timeLeft(
    () => share,
    () => now,
  );
  expect(left()).toBe('');
  [now, share] = [15_000, 0.75];
  expect(left()).toBe(', 10 s left');
});

test('what simulate seals and writes as a table, aggregate reads', async () => {
  file('log.ndjson', Array.from({ length: 20 }, (_, number) => demoUser('rows', number).lines).flat());
  expect(await main(['aggregate', '--new-key', pathOf('private.json')])).toBe(0);
  const sealing = ['--input', pathOf('log.ndjson'), '--aggregation-key', file('public.json', out.join(''))];
  const buckets = Array.from({ length: 8 }, (_, campaign) => ({ bucket: `0x${campaign + 1}` }));
  const rest = ['--keys', pathOf('private.json'), '--buckets', file('buckets.ndjson', buckets)];
  const summaries: string[] = [];
  for (const name of ['sealed.ndjson', 'sealed.parquet']) {
    expect(await run('simulate', ...sealing, '--seed', '1', '--output', pathOf(name))).toMatchObject({
      code: 0,
    });
    // With this ε the noise is 0.
    const once = [
      '--epsilon',
      '1e9',
      '--ledger',
      pathOf(`${name}.ledger`),
      '--output',
      pathOf('sums.ndjson'),
    ];
    expect(await run('aggregate', '--reports', pathOf(name), ...rest, ...once)).toMatchObject({ code: 0 });
    summaries.push(readFileSync(pathOf('sums.ndjson'), 'utf8'));
  }
  expect(summaries[0]).toMatch(/"value":[1-9]/);
  expect(summaries[1]).toBe(summaries[0]);
});

test('what simulate writes as tables, estimate reads, and writes as a table', async () => {
  const log = Array.from({ length: 15 }, (_, number) => generateUser('rows', number)).flat();
  const simulated = async (reports: string, sources: string): Promise<void> => {
    const names = ['--output', pathOf(reports), '--sources-output', pathOf(sources)];
    expect(await run('simulate', '--input', pathOf('log.ndjson'), '--seed', '1', ...names)).toMatchObject({
      code: 0,
    });
  };
  file('log.ndjson', log);
  const estimated: string[] = [];
  for (const [reports, sources] of [
    ['reports.ndjson', 'sources.ndjson'],
    ['reports.parquet', 'sources.csv.gz'],
    ['reports.tsv', 'sources.parquet'],
  ] as const) {
    await simulated(reports, sources);
    const inputs = ['--reports', pathOf(reports), '--sources', pathOf(sources), '--group-by', 'format'];
    expect(await run('estimate', ...inputs, '--output', pathOf('estimates.csv'))).toMatchObject({ code: 0 });
    estimated.push(readFileSync(pathOf('estimates.csv'), 'utf8'));
  }
  expect(estimated[1]).toBe(estimated[0]);
  expect(estimated[2]).toBe(estimated[0]);
  expect(estimated[0]?.split('\n')[0]).toMatch(
    /^configuration,mechanism,epsilon,sources,all_sources,rank_best,rank_worst,unranked,level,quantity,/,
  );
  expect(estimated[0]?.split('\n').length).toBeGreaterThan(10);
});

const MAP = {
  user: 'who',
  unit: 'milliseconds',
  events: [
    {
      time: 'at',
      event: {
        registration_request: {
          context_origin: 'https://a.example',
          'Attribution-Reporting-Eligible': 'event-source',
        },
        responses: [
          {
            url: 'https://b.example',
            response: {
              'Attribution-Reporting-Register-Source': {
                destination: 'https://c.example',
                source_event_id: '{id}',
              },
            },
          },
        ],
      },
    },
  ],
};

const simulate = (input: string, ...more: readonly string[]): Promise<number> =>
  main([
    ...['simulate', '--threads', '1', '--map', file('map.json', MAP), '--input', input],
    ...['--output', pathOf('out.ndjson'), '--summary', pathOf('summary.json'), ...more],
  ]);

test('a row that does not fit is named, and left out and counted only if told to', async () => {
  const log = file('log.csv', 'who,at,id\na,1,1\na,soon,2\na,3\na,4,4\n');
  expect(await simulate(log)).toBe(2);
  expect(err.join('')).toBe(
    `cointoss: ${log}: line 3: column "at": must be whole milliseconds, was "soon"\n`,
  );
  expect(existsSync(pathOf('out.ndjson'))).toBe(false);
  expect(await simulate(log, '--skip-invalid')).toBe(0);
  expect(err.join('')).toContain('rows that do not fit 2\n');
  expect(JSON.parse(readFileSync(pathOf('summary.json'), 'utf8'))).toMatchObject({
    invalid_rows: 2,
    lines: 4,
    sources: { stored: 2 },
  });
});

test('a map that makes no valid source stops with the reason', async () => {
  const count = isLong ? 5000 : 2500;
  const rows = Array.from({ length: count }, (_, row) => `user ${row},1,no number`);
  expect(await simulate(file('log.csv', `who,at,id\n${rows.join('\n')}\n`))).toBe(2);
  expect(err.join('')).toMatch(
    /^\d+ rows made [^\n]*\ncolumns: [^\n]*\ncointoss: [^\n]*map\.json: must map rows to valid sources; none of the first [12]\d\d\d is valid \(--skip-invalid goes on\): source_event_id: [^\n]*\n$/,
  );
  expect(existsSync(pathOf('out.ndjson'))).toBe(false);
  expect(await simulate(pathOf('log.csv'), '--skip-invalid')).toBe(0);
  const { users, sources_invalid: invalid } = JSON.parse(
    readFileSync(pathOf('summary.json'), 'utf8'),
  ) as Record<string, object>;
  expect([users, Object.values(invalid ?? {})]).toEqual([count, [count]]);
});

/* The files are made up; only their columns are those of the data sets. */
describe('the maps of the data sets of Criteo', () => {
  const FIXTURES = path.join(ROOT, 'test/fixtures/criteo');
  const days = [1, 2, 3].map((day) => path.join(FIXTURES, `day_int=${day}`));

  test.each<[string, readonly string[], string, object]>([
    ['attribution', [path.join(FIXTURES, 'made-up-attribution.tsv')], 'campaign', { attributed: 12 }],
    [
      'sponsored-search',
      [path.join(FIXTURES, 'made-up-sponsored-search.tsv')],
      'partner',
      { attributed: 10 },
    ],
    ['private-ad', days, 'campaign', { attributed: 30 }],
  ])('%s', async (name, input, group, triggers) => {
    const outputs = ['reports.ndjson', 'sources.ndjson', 'summary.json'].map(pathOf);
    const [reports = '', sources = '', summary = ''] = outputs;
    const mapped = ['--map', `scenarios/criteo-${name}.map.json`, '--input', ...input, '--unsorted'];
    const options = ['--no-noise', '--output', reports, '--sources-output', sources, '--summary', summary];
    expect(await run('simulate', ...mapped, ...options)).toMatchObject({ code: 0 });
    const found = JSON.parse(readFileSync(summary, 'utf8')) as Record<string, Record<string, number>>;
    expect(found['triggers']).toEqual(triggers);
    expect(found['sources_invalid']).toEqual({});
    const rows = readFileSync(sources, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject);
    expect(rows).toHaveLength(found['sources']?.['stored'] ?? 0);
    // So reports tell sources apart, and estimates can be grouped.
    expect(new Set(rows.map((row) => row['source_event_id'])).size).toBe(rows.length);
    expect(new Set(rows.map((row) => row[group])).size).toBeGreaterThan(1);
  });

  test('Parquet with a time that is no date', async () => {
    const { code, err: said } = await run(
      'simulate',
      '--input',
      'test/fixtures/time-no-date.parquet',
      '--output',
      pathOf('o'),
    );
    expect(code).toBe(2);
    expect(said).toBe(
      'cointoss: test/fixtures/time-no-date.parquet: cannot be read: it has the time 9000000000000000 ms, which is no date\n',
    );
  });

  test('Parquet without a column that the map reads', async () => {
    const map = readFileSync(path.join(ROOT, 'scenarios/criteo-private-ad.map.json'), 'utf8');
    const other = file('other.json', map.replaceAll('publisher_id', 'publisher'));
    const output = pathOf('out.parquet');
    const { code, err: said } = await run('simulate', '--map', other, '--input', ...days, '--output', output);
    expect(code).toBe(2);
    expect(said).toMatch(
      /^cointoss: [^\n]*made-up-private-ad\.parquet: must have the column "publisher"; has [^\n]*\n$/,
    );
    expect(existsSync(output)).toBe(false);
  });
});

test('a time of Parquet is a date, which a map takes for a time in every unit', () => {
  expect(cellText(new Date('2026-01-10T00:00:00Z'))).toBe('2026-01-10T00:00:00.000Z');
});
