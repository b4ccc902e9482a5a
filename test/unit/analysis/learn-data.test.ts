import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { columnsIn, parseDataMap } from '../../../analysis/learn/data-map';
import type { Examples, Split } from '../../../analysis/learn/examples';
import { preparedSplit } from '../../../analysis/learn/prepare';
import { RandomNumbers } from '../../../analysis/learn/random-numbers';
import { seededRandomSource } from '../../../analysis/random/sources';
import { readExamples } from '../../../cli/learn/examples-file';
import { readJson } from '../../../cli/io/input';
import { dataWorker, PART_BYTES } from '../../../cli/learn/data-workers';
import { main } from '../../../cli/main';
import { workerPool } from '../../../node/worker-pool';
import { useCommands } from '../helpers/command';
import { countThreads } from '../helpers/started-threads';
import { accepted } from '../helpers/parsing';

const { out, err, pathOf, file } = useCommands();

const ROOT = path.join(__dirname, '../../..');

const map = {
  time: { column: 'time', unit: 'seconds' },
  label: { kind: 'conversion', column: 'bought', delay: { column: 'after', unit: 'minutes' } },
  units: { user: 'user', publisher: 'page' },
  known_later: ['clicked'],
  split: { training: 0.5, validation: 0.25 },
  features: [
    { columns: ['page', 'ad'], role: 'known', kind: 'hashed', buckets: 50, collisions: 1 },
    { columns: ['visits'], role: 'sensitive', kind: 'log' },
    { columns: ['ad'], role: 'known', kind: 'vocabulary', buckets: 3 },
    { columns: ['price'], role: 'known', kind: 'standard' },
  ],
};

/** Rows in order of time. The last quarter has prices and ads of its own, and ten users come again and again. */
const log = Array.from({ length: 300 }, (_, index) => ({
  time: 100 + index,
  user: `u${index % 10}`,
  page: `page ${index % 7}`,
  ad: index < 225 ? `ad ${'aaabbc'[index % 6] ?? ''}` : 'new',
  visits: (index % 5) - 1,
  price: index % 4 === 3 ? null : (index < 225 ? 10 : 1000) + (index % 4),
  bought: index % 9 === 0 ? 1 : 0,
  after: index % 9 === 0 ? (index === 0 ? 90 : 0.05) : -1,
  clicked: index % 2,
}));

const csv = (rows: typeof log, delimiter: string): string =>
  [Object.keys(log[0] ?? {}), ...rows.map((row) => Object.values(row).map((value) => value ?? ''))]
    .map((cells) => `${cells.join(delimiter)}\n`)
    .join('');

const makeData = (input: string, output: string, of: string = file('map.json', map)): Promise<number> =>
  main(['learn', 'data', '--input', input, '--map', of, '--output', pathOf(output)]);

describe('a long table that threads read in parts', () => {
  const noted = { ...log[0], note: '' };
  /** Four parts and more, of few rows. */
  const table = (change: (line: string, index: number) => string = (line) => line): string =>
    [
      Object.keys(noted).join(','),
      ...log.map((row, index) => {
        const cells = Object.values({ ...row, note: '-'.repeat(16_000) }).map((value) => value ?? '');
        return change(cells.join(','), index);
      }),
    ]
      .map((line) => `${line}\n`)
      .join('');
  const listed = { columns: ['ad'], role: 'known', kind: 'listed', values: ['ad b', 'new', 'nowhere'] };
  const longMap = { ...map, units: { user: 'user', advertiser: 'ad' }, features: [...map.features, listed] };

  const started = countThreads();
  const again = 'so one thread reads the log again from its beginning';

  /** @returns the examples, what is said with the name of the output left out, and the exit code */
  async function made(input: string, threads: number): Promise<readonly [Buffer | null, string, number]> {
    err.length = 0;
    const output = `of-${threads}`;
    const of = file('long-map.json', longMap);
    const args = ['--input', input, '--map', of, '--output', pathOf(output), '--threads', String(threads)];
    const code = await main(['learn', 'data', ...args]);
    const examples = existsSync(pathOf(output)) ? readFileSync(pathOf(output)) : null;
    rmSync(pathOf(output), { force: true });
    return [examples, err.join('').replaceAll(pathOf(output), ''), code];
  }

  const at200 = (change: (line: string) => string): string =>
    table((line, index) => (index === 200 ? change(line) : line));

  /** Makes the row with which the first part ends longer. */
  function withLastRow(length: number): string {
    const last = table().slice(0, PART_BYTES).split('\n').length - 2;
    return table((line, index) => (index === last ? line.padEnd(length, '-') : line));
  }

  test.each<[string, string, 'threads' | 'again' | 'alone']>([
    ['plain', table(), 'threads'],
    ['one with a quote further down', at200((line) => line.replace('u0', '"u0"')), 'again'],
    ['one with a line break in a cell', at200((line) => line.replace('u0', '"u\n0"')), 'again'],
    ['one with a line break of its own', at200((line) => line.replace('---', '\r')), 'again'],
    ['one with a byte order mark further down', at200((line) => line.replace('---', '\ufeff')), 'again'],
    ['one with a long row', at200((line) => `${line}${'-'.repeat(3 << 20)}`), 'again'],
    ['one with a row of a little more than 1 MiB', withLastRow(PART_BYTES + (1 << 15)), 'again'],
    ['one with a row of a little less than 1 MiB', withLastRow(PART_BYTES - (1 << 10)), 'threads'],
    ['one with other line breaks', table((line) => `${line}\r`), 'again'],
    ['one with a line break in its first line', table((line) => `${line}\r`).replace('\n', '\r\n'), 'alone'],
    ['one whose last line has no end', table().slice(0, -1), 'threads'],
    ['one with a byte order mark', `\ufeff${table()}`, 'threads'],
    ['one in other scripts', table((line) => line.replaceAll('page', 'страница')), 'threads'],
  ])('%s gives the same as one thread', async (_, text, how) => {
    const input = file('long.csv', text);
    const before = started();
    const alone = await made(input, 1);
    expect(started()).toBe(before);
    const [examples, said, code] = await made(input, 3);
    expect(started() > before).toBe(how !== 'alone');
    expect(alone[2]).toBe(0);
    expect(alone[0]?.length).toBeGreaterThan(1000);
    expect(examples?.equals(alone[0] ?? Buffer.of())).toBe(true);
    expect(code).toBe(0);
    const lines = said.split('\n');
    expect(lines.filter((line) => line.includes(again))).toHaveLength(how === 'again' ? 1 : 0);
    expect(lines.filter((line) => !line.includes(again)).join('\n')).toBe(alone[1]);
  });

  test('a thread that cannot read its part leaves it to the first one to say why', async () => {
    const range = { file: file('short.csv', 'time\n1\n'), start: 0, end: 100, line: 1 };
    const pool = workerPool(dataWorker, 1, longMap);
    try {
      for (const name of [range.file, pathOf('nowhere.csv')])
        expect(await pool.run({ range: { ...range, file: name }, delimiter: ',', columns: ['time'] })).toBe(
          'mistaken',
        );
    } finally {
      await pool.destroy();
    }
  });

  test.each<[string, string]>([
    ['a value', table((line, index) => (index === 250 ? line.replace(/^\d+/, 'soon') : line))],
    ['a row without all cells', table((line, index) => (index === 250 ? line.replace(',', '') : line))],
    ['a name of a column', table().replace('visits', 'visit')],
  ])('a mistake in %s is said as by one thread, with its line', async (_, text) => {
    const input = file('long.csv', text);
    const [alone, together] = [await made(input, 1), await made(input, 3)];
    expect(alone[2]).toBe(2);
    expect(alone[1]).toMatch(/long\.csv: line (1|252): /);
    expect(together).toEqual(alone);
  });

  test('what no row has is said', async () => {
    const nowhere = { ...listed, values: ['nowhere'] };
    const of = file('nowhere.json', { ...longMap, features: [nowhere] });
    const input = file('long.csv', table());
    const args = ['--input', input, '--map', of, '--output', pathOf('nowhere'), '--threads', '2'];
    expect(await main(['learn', 'data', ...args])).toBe(2);
    expect(err.join('')).toContain('must be one of "nowhere", was for example "ad a"');
  });
});

test('all formats give the same examples', async () => {
  const lines = log.map((row) => `${JSON.stringify(row)}\n`).join('');
  writeFileSync(pathOf('log.ndjson'), lines);
  writeFileSync(pathOf('log.ndjson.gz'), gzipSync(lines));
  writeFileSync(pathOf('log.csv'), csv(log, ','));
  // Jest cannot load these packages, which are modules.
  const program = `
    import { Zstd } from '@hpcc-js/wasm-zstd';
    import { parquetWriteBuffer } from 'hyparquet-writer';
    import { writeFileSync } from 'node:fs';
    const [rows, parquet, tsv, zst] = process.argv.slice(1);
    const log = JSON.parse(rows);
    const type = (name) => (typeof log[0][name] === 'string' ? 'STRING' : 'DOUBLE');
    const columnData = Object.keys(log[0]).map((name) => ({ name, type: type(name), data: log.map((row) => row[name]) }));
    writeFileSync(parquet, Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize: 70 })));
    writeFileSync(zst, (await Zstd.load()).compress(Buffer.from(tsv)));`;
  const inputs = [JSON.stringify(log), pathOf('log.parquet'), csv(log, '\t'), pathOf('log.tsv.zst')];
  execFileSync(process.execPath, ['--input-type=module', '-e', program, ...inputs], { cwd: ROOT });
  for (const name of ['log.ndjson', 'log.ndjson.gz', 'log.csv', 'log.tsv.zst'])
    expect(await makeData(pathOf(name), `${name}.examples`)).toBe(0);
  expect(err).toContain(
    `cointoss: ${pathOf('log.csv.examples')}: 300 examples, 34 with a label other than 0\n`,
  );
  const args = ['--map', file('map.json', map), '--output', pathOf('log.parquet.examples')];
  execFileSync(process.execPath, [
    'cli/cointoss.mjs',
    'learn',
    'data',
    '--input',
    pathOf('log.parquet'),
    ...args,
  ]);
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      ...['cli/cointoss.mjs', 'learn', 'data', '--input', pathOf('log.parquet')],
      ...['--map', file('other.json', { ...map, units: { user: 'person' } }), '--output', pathOf('other')],
    ],
    { cwd: ROOT, encoding: 'utf8' },
  );
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: `cointoss: ${pathOf('log.parquet')}: must have the column "person"; has ${Object.keys(log[0] ?? {}).join(', ')}\n`,
  });
  const [first, ...others] = readdirSync(pathOf('')).filter((name) => name.endsWith('.examples'));
  expect(others).toHaveLength(4);
  for (const other of others)
    expect(readFileSync(pathOf(other)).equals(readFileSync(pathOf(first ?? '')))).toBe(true);
});

const column = (examples: Examples, name: string): number[] => {
  const { fields, categories, numbers, count } = examples;
  const inCategories = fields.categories.findLastIndex((field) => field.name === name);
  const inNumbers = fields.numbers.findIndex((field) => field.name === name);
  const [values, width, index] =
    inNumbers < 0
      ? [categories, fields.categories.length, inCategories]
      : [numbers, fields.numbers.length, inNumbers];
  return Array.from({ length: count }, (_, row) => values[row * width + index] ?? NaN);
};

test('features are prepared by what the training part alone says, and labels by what was known', async () => {
  expect(await makeData(file('log.ndjson', log), 'examples')).toBe(0);
  const { examples, map: read } = readExamples(pathOf('examples'));
  const { training, validation, test: rest } = preparedSplit(examples, read);
  expect([training.count, validation.count, rest.count]).toEqual([150, 75, 75]);
  expect(training.times[0]).toBe(100_000);
  expect([...training.units.user.slice(8, 12)]).toEqual([8, 9, 0, 1]);
  // There is no column for the advertiser.
  expect(training.units.advertiser[11]).toBe(11);
  // The first conversion took 90 minutes, after the end of the training part.
  expect([training.labels[0], training.labels[9], training.labels[10]]).toEqual([0, 1, 0]);
  expect(training.delays[0]).toBe(90 * 60_000);
  // The two most frequent ads; the others, with what only the test part has, share bucket 0.
  expect(column(training, 'ad').slice(0, 6)).toEqual([1, 1, 1, 2, 2, 0]);
  expect(new Set(column(rest, 'ad'))).toEqual(new Set([0]));
  const prices = column(training, 'price').filter((_, row) => row % 4 !== 3);
  const mean = prices.reduce((sum, price) => sum + price, 0) / prices.length;
  expect(mean).toBeCloseTo(0, 5);
  expect(prices.reduce((sum, price) => sum + (price - mean) ** 2, 0) / prices.length).toBeCloseTo(1, 5);
  expect(training.numbers[3 * 2 + 1]).toBe(0);
  expect(Math.min(...column(rest, 'price').filter((price) => price !== 0))).toBeGreaterThan(500);
  expect(column(training, 'visits').slice(0, 3)).toEqual([
    -Math.fround(Math.log(2)),
    0,
    Math.fround(Math.log(2)),
  ]);
});

test('a random split has each row once, in order of time, with labels that came later, too', async () => {
  const parts = async (random: string, rows = log): Promise<Split> => {
    const ofMap = file('random.json', { ...map, split: { ...map.split, random } });
    expect(await makeData(file('log.ndjson', rows), random, ofMap)).toBe(0);
    const { examples, map: read } = readExamples(pathOf(random));
    return preparedSplit(examples, read);
  };
  const one = await parts('a');
  const all = [one.training, one.validation, one.test];
  expect(all.map(({ count }) => count)).toEqual([150, 75, 75]);
  expect(new Set(all.flatMap(({ times }) => [...times])).size).toBe(300);
  for (const { times } of all) expect(times).toEqual(times.toSorted());
  expect(one.training.times.at(-1)).toBeGreaterThan(one.test.times[0] ?? Infinity);
  const mean = (times: Float64Array): number => times.reduce((sum, time) => sum + time, 0) / times.length;
  const [whole = 0, ofTraining = 0] = [
    Float64Array.from(all.flatMap(({ times }) => [...times])),
    one.training.times,
  ].map(mean);
  // Five standard errors.
  expect(Math.abs(ofTraining / whole - 1)).toBeLessThan(0.1);
  const converted = all.flatMap(({ labels }) => [...labels]).filter((label) => label > 0);
  expect(converted).toHaveLength(log.filter(({ bought }) => bought === 1).length);
  const again = await parts('a', log.toReversed());
  expect(again.training.times).toEqual(one.training.times);
  expect((await parts('b')).training.times).not.toEqual(one.training.times);
  // What a training with the same seed draws first says nothing of the split.
  const first = new RandomNumbers(seededRandomSource('a', 0)).order(300).slice(0, 150).sort();
  const places = all.flatMap(({ times }) => [...times]).sort((a, b) => a - b);
  expect([...one.training.times]).not.toEqual([...first].map((place) => places[place]));
  const labels = [
    '--sources',
    file('none.ndjson', ''),
    '--reports',
    file('none.ndjson', ''),
    '--output',
    pathOf('none.labels'),
  ];
  expect(await main(['learn', 'labels', '--data', pathOf('b'), ...labels])).toBe(2);
  expect(err.at(-1)).toContain('is split at random; labels from reports need a split by time');
});

test('rows in any order give the same parts', async () => {
  await makeData(file('log.ndjson', log), 'in-order');
  await makeData(
    file(
      'log.ndjson',
      log.toSorted((a, b) => ((a.time * 7919) % 300) - ((b.time * 7919) % 300)),
    ),
    'mixed',
  );
  const [one, other] = ['in-order', 'mixed'].map((name) => {
    const { examples, map: read } = readExamples(pathOf(name));
    return preparedSplit(examples, read);
  });
  for (const part of ['training', 'validation', 'test'] as const) {
    expect(other?.[part].times).toEqual(one?.[part].times);
    expect(other?.[part].labels).toEqual(one?.[part].labels);
    expect(column(other?.[part] ?? fail(), 'price')).toEqual(column(one?.[part] ?? fail(), 'price'));
  }
});

const fail = (): never => {
  throw new Error('must be there');
};

describe('maps', () => {
  const [feature] = map.features;
  test.each<[string, object, string]>([
    [
      'a feature that comes after the label',
      { features: [{ ...feature, columns: ['page', 'clicked'] }] },
      'features[0].columns[1]: must be a column whose value is known before the label, was "clicked"',
    ],
    [
      'the label as a feature',
      { features: [{ ...feature, columns: ['bought'] }] },
      'features[0].columns[0]: must be a column whose value is known before the label, was "bought"',
    ],
    [
      'a delay as a feature',
      { features: [{ ...feature, columns: ['after'] }] },
      'features[0].columns[0]: must be a column whose value is known before the label, was "after"',
    ],
    [
      'a vocabulary of sensitive values',
      { features: [{ ...feature, role: 'sensitive', kind: 'vocabulary' }] },
      'features[0].kind: must be "hashed" or "listed" or "log", was "vocabulary"',
    ],
    [
      'an unknown role',
      { features: [{ ...feature, role: 'secret' }] },
      'features[0].role: must be "known" or "sensitive", was "secret"',
    ],
    ['no features', { features: [] }, 'features: must have at least 1 item, has 0'],
    [
      'no test data',
      { split: { training: 0.9, validation: 0.1 } },
      'split.validation: must be a number from 0.01 to ',
    ],
    [
      'a delay and a time',
      { label: { ...map.label, at: { column: 'time', unit: 'days' } } },
      'label.at: must not be given beside "delay"',
    ],
    ['an unknown field', { label: { ...map.label, after: 'x' } }, 'label.after: is not a known field'],
  ])('%s is an error that names the place', async (_, change, message) => {
    const of = file('bad.json', { ...map, ...change });
    expect(await makeData(file('log.ndjson', log), 'examples', of)).toBe(2);
    expect(err.join('')).toContain(`cointoss: ${of}: ${message}`);
    expect(existsSync(pathOf('examples'))).toBe(false);
  });
});

describe('logs', () => {
  const [row] = log;
  test.each<[string, string, string | object, string]>([
    ['no file', 'none.csv', '', 'cannot be read'],
    [
      'an unknown column of CSV',
      'a.csv',
      'time,user\n1,2\n',
      'line 1: must name one column "bought", which is to be read; has time, user',
    ],
    [
      'a field that no row has',
      'a.ndjson',
      [{ ...row, price: undefined }],
      'must have the field "price", which no row has',
    ],
    [
      'a label that is no number',
      'a.ndjson',
      [row, { ...row, bought: 'yes' }],
      'line 2: column "bought": must be 0 or 1, was "yes"',
    ],
    [
      'a label that is missing',
      'a.ndjson',
      [{ ...row, bought: null }],
      'line 1: column "bought": must be 0 or 1, was ""',
    ],
    [
      'a label that is too large',
      'a.ndjson',
      [{ ...row, bought: 2 }],
      'line 1: column "bought": must be 0 or 1, was "2"',
    ],
    [
      'a feature that is no number',
      'a.ndjson',
      [{ ...row, price: 'dear' }],
      'line 1: column "price": must be a number, was "dear"',
    ],
    [
      'a conversion that nobody knows when',
      'a.ndjson',
      [{ ...row, after: null }],
      'line 1: column "after": must be a number, was ""',
    ],
    [
      'a date that does not exist',
      'a.ndjson',
      [{ ...row, time: '2024-02-30' }],
      'line 1: column "time": must be a date and time that exist, was "2024-02-30"',
    ],
    [
      'an example of nobody',
      'a.ndjson',
      [row, { ...row, user: 'nan' }],
      'line 2: column "user": must be a user, was "nan"',
    ],
    [
      'an example on no page',
      'a.ndjson',
      [{ ...row, page: '' }],
      'line 1: column "page": must be a publisher, was ""',
    ],
    ['no time', 'a.ndjson', [{ ...row, time: {} }], 'line 1: column "time": must be a number, was "{}"'],
    ['a row that is no object', 'a.ndjson', [[1]], 'line 1: must be an object'],
    ['no JSON', 'a.ndjson', '{"a"}\n', 'line 1: '],
  ])('%s is an error that names the place', async (_, name, content, message) => {
    if (content !== '') file(name, content);
    expect(await makeData(pathOf(name), 'examples')).toBe(2);
    expect(out).toEqual([]);
    expect(err.join('')).toMatch(/^[^\n]*\n$/);
    expect(err.join('')).toContain(`cointoss: ${pathOf(name)}: ${message}`);
    expect(readdirSync(pathOf('')).filter((known) => known.startsWith('examples'))).toEqual([]);
  });

  test('columns without names are counted', async () => {
    const of = file('map.json', { ...map, columns: Object.keys(row ?? {}) });
    const rows = csv(log, ',').split('\n').slice(1).join('\n');
    expect(await makeData(file('a.csv', rows), 'examples', of)).toBe(0);
    expect(readExamples(pathOf('examples')).examples.count).toBe(300);
    expect(await makeData(file('b.csv', '1,2\n'), 'examples', of)).toBe(2);
    expect(err.join('')).toContain(`${pathOf('b.csv')}: line 1: must have 9 columns, has 2`);
  });
});

describe('an experiment on a file of examples', () => {
  const experiment = {
    data: 'examples',
    seeds: 2,
    figures: [
      { title: 'Units', line: 'unit', methods: ['rr'], units: ['impression', 'user'], epsilons: [2] },
    ],
  };

  /** Worker threads need the compiled command. */
  const learn = (given: object, ...args: readonly string[]): string => {
    const { status, stderr } = spawnSync(
      process.execPath,
      ['cli/cointoss.mjs', 'learn', '--experiment', file('experiment.json', given), ...args],
      { cwd: ROOT, encoding: 'utf8' },
    );
    return `${status ?? ''} ${stderr}`;
  };

  test('gives the same table on any number of threads, and refuses to resume on other data', async () => {
    await makeData(file('log.ndjson', log), 'examples');
    const results = ['1', '2'].map((threads) => {
      expect(learn(experiment, '--output', pathOf(threads), '--threads', threads)).toMatch(/^0 /);
      return readFileSync(path.join(pathOf(threads), 'results.csv'), 'utf8');
    });
    expect(results[0]).toBe(results[1]);
    expect(results[0]?.trim().split('\n')).toHaveLength(1 + 2 + 4);

    mkdirSync(pathOf('3'));
    writeFileSync(path.join(pathOf('3'), 'results.unfinished'), '{"run":"of other data"}\n');
    expect(learn(experiment, '--output', pathOf('3'), '--resume')).toContain(
      'must be of the same experiment',
    );
  });

  test.each<[string, object, string]>([
    [
      'a unit without a column',
      { figures: [{ ...experiment.figures[0], units: ['user', 'user-advertiser'] }] },
      'experiment.json: figures[0].units[1]: must be a unit of the data, which have no column for the advertiser',
    ],
    ['users of a made-up log', { users: 1000 }, 'experiment.json: users: must not be given beside "data"'],
    ['no such file', { data: 'none' }, 'none: cannot be read: '],
    [
      'another file',
      { data: 'log.ndjson' },
      'log.ndjson: must be a complete file of examples, as `learn data` writes them',
    ],
    ['a file that was cut off', { data: 'cut' }, 'cut: must be a complete file of examples'],
    ['a file that a byte was added to', { data: 'longer' }, 'longer: must be a complete file of examples'],
    [
      'a split without positives',
      { data: 'few' },
      'few: the validation part must have labels of both kinds, 0 of 75 are above 0',
    ],
  ])('%s is an error that names the place', async (_, change, message) => {
    const few = log.map((row, index) => ({ ...row, bought: index > 140 && index < 230 ? 0 : row.bought }));
    await makeData(file('few.ndjson', few), 'few');
    await makeData(file('log.ndjson', log), 'examples');
    const whole = readFileSync(pathOf('examples'));
    writeFileSync(pathOf('cut'), whole.subarray(0, -1));
    writeFileSync(pathOf('longer'), Buffer.concat([whole, Buffer.from([0])]));
    const given = file('experiment.json', { ...experiment, ...change });
    expect(await main(['learn', '--experiment', given, '--output', pathOf('out')])).toBe(2);
    expect(err.at(-1)).toMatch(/^cointoss: [^\n]*\n$/);
    expect(err.at(-1)).toContain(message);
  });
});

/* The files are made up; only their columns are those of the data sets. */
describe('the data sets of Criteo', () => {
  const fixture = (name: string): string => path.join(ROOT, 'test/fixtures/criteo', name);
  const mapOf = (name: string): string => path.join(ROOT, 'scenarios/learn', `criteo-${name}.map.json`);

  test.each<[string, string, number, { categories: number; numbers: number; sensitive: number }]>([
    ['attribution', 'made-up-attribution.tsv', 12, { categories: 10, numbers: 2, sensitive: 1 }],
    ['pctr', 'made-up-pctr.txt', 15, { categories: 26, numbers: 13, sensitive: 19 }],
    ['sponsored-search', 'made-up-sponsored-search.tsv', 10, { categories: 15, numbers: 1, sensitive: 2 }],
  ])('%s', async (name, input, positives, count) => {
    expect(await makeData(fixture(input), 'examples', mapOf(name))).toBe(0);
    const { examples, map: read } = readExamples(pathOf('examples'));
    const { fields } = examples;
    expect({
      categories: fields.categories.length,
      numbers: fields.numbers.length,
      sensitive: [...fields.categories, ...fields.numbers].filter(({ role }) => role === 'sensitive').length,
    }).toEqual(count);
    expect(examples.labels.filter((label) => label > 0)).toHaveLength(positives);
    expect(Math.max(...examples.labels)).toBe(name === 'sponsored-search' ? 400 : 1);
    expect(examples.delays.every((delay) => delay >= 0)).toBe(true);
    const { training } = preparedSplit(examples, read);
    expect(training.numbers.some(Number.isNaN)).toBe(false);
    const { header } = { header: readFileSync(fixture(input), 'utf8').split('\n')[0]?.split('\t') ?? [] };
    for (const column of columnsIn(read)) expect(read.columns ?? header).toContain(column);
  });

  test('attribution, whose times begin at 0, from the log to labels from reports', async () => {
    const log = fixture('made-up-attribution.tsv');
    const map = path.join(ROOT, 'scenarios/criteo-attribution.map.json');
    const results = { reports: pathOf('reports.ndjson'), sources: pathOf('sources.ndjson') };
    const outputs = ['--output', results.reports, '--sources-output', results.sources];
    const options = ['--map', map, '--unsorted', '--seed', '1', '--threads', '1'];
    expect(await main(['simulate', ...options, '--input', log, ...outputs])).toBe(0);
    expect(await makeData(log, 'examples', mapOf('attribution'))).toBe(0);
    const from = ['--sources', results.sources, '--reports', results.reports];
    const labels = ['learn', 'labels', '--data', pathOf('examples'), ...from, '--output', pathOf('labels')];
    expect([await main(labels), existsSync(pathOf('labels')), err.join('')]).toEqual([
      0,
      true,
      expect.stringContaining('rows made '),
    ]);
  });

  test('private-ad', () => {
    const days = [1, 2, 3].map((day) => fixture(`day_int=${day}/made-up-private-ad.parquet`));
    execFileSync(
      process.execPath,
      [
        'cli/cointoss.mjs',
        'learn',
        'data',
        '--input',
        ...days,
        '--map',
        mapOf('private-ad'),
        '--output',
        pathOf('examples'),
      ],
      { cwd: ROOT, stdio: 'pipe' },
    );
    const { examples } = readExamples(pathOf('examples'));
    expect(examples.count).toBe(100);
    expect(new Set(examples.times)).toEqual(new Set([1, 2, 3].map((day) => day * 86_400_000)));
    expect([examples.fields.categories.length, examples.fields.numbers.length]).toEqual([60, 1]);
    expect(new Set(examples.labels)).toEqual(new Set([0, 1, 2]));
    // The label of two sales is known after the second.
    expect(Math.max(...examples.delays)).toBeGreaterThan(0);
    expect(Math.max(...examples.delays) % 60_000).toBe(0);
  });

  test.each(['attribution', 'pctr', 'sponsored-search', 'private-ad'])(
    'the map of %s lets no feature be known later',
    (name) => {
      const read = accepted(parseDataMap(readJson(mapOf(name))));
      const label =
        /conver|sale|^is_|attribution|click_pos|click_nb|^click$|cpo|price|not_available|^label$/i;
      expect(read.features.map(({ column }) => column).filter((column) => label.test(column))).toEqual([]);
    },
  );
});

describe('rows from which a model would learn nothing, or something false, are refused', () => {
  const at = {
    time: map.time,
    label: { kind: 'conversion', column: 'bought', at: { column: 'after', unit: 'seconds' } },
  };
  const converted = log.filter(({ bought }) => bought === 1);

  test.each<[string, object, readonly object[], string]>([
    [
      'without any label',
      {},
      log.map((row) => ({ ...row, bought: 0 })),
      'column "bought": no row has a label other than 0',
    ],
    [
      'with milliseconds that the map calls seconds',
      {},
      log.map((row) => ({ ...row, time: 1000 * row.time + 1.6e12 })),
      'time: must have the unit of column "time": all times are after 2100',
    ],
    [
      'with labels before their impressions',
      at,
      log.map((row) => ({ ...row, after: row.time / 1000 })),
      `label: all ${converted.length} labels other than 0 are known before their impression`,
    ],
  ])('%s', async (_, changed, rows, message) => {
    const of = file('map.json', { ...map, ...changed });
    expect(await makeData(file('doubtful.ndjson', rows), 'doubtful', of)).toBe(2);
    expect(err.join('')).toContain(`map.json: ${message}`);
    expect(existsSync(pathOf('doubtful'))).toBe(false);
  });

  test('unless a single label is known in time', async () => {
    const rows = log.map((row, index) => ({ ...row, after: index === 9 ? row.time + 1 : row.time / 1000 }));
    expect(await makeData(file('late.ndjson', rows), 'late', file('map.json', { ...map, ...at }))).toBe(0);
  });
});

describe('values that share a bucket of a hash', () => {
  /** Seven categories, a seventh of the rows each. */
  const rows = log.slice(0, 280).map((row, index) => ({ ...row, page: `page ${index % 7}` }));
  const mapWith = (feature: object): string =>
    file('hash.json', { ...map, features: [{ columns: ['page'], role: 'sensitive', ...feature }] });

  test('are counted, and refused above the share that the map accepts', async () => {
    const input = file('hash.ndjson', rows);
    // In two buckets, every value shares one.
    expect(await makeData(input, 'merged', mapWith({ kind: 'hashed', buckets: 2 }))).toBe(2);
    expect(err.join('')).toContain(
      'column "page": 100 % of the rows share one of 2 buckets with another value, at most 5 % may: give it more buckets, list its values ("kind": "listed"), or accept it ("collisions": 1)',
    );
    expect(existsSync(pathOf('merged'))).toBe(false);
    expect(await makeData(input, 'merged', mapWith({ kind: 'hashed', buckets: 2, collisions: 1 }))).toBe(0);
    expect(err.at(-2)).toContain(
      'column "page": 100 % of the rows share one of 2 buckets with another value\n',
    );
  });

  test('are none where a public list has a bucket for each value', async () => {
    const values = Array.from({ length: 6 }, (_, page) => `page ${page}`);
    const input = file('listed.ndjson', rows);
    expect(await makeData(input, 'listed', mapWith({ kind: 'listed', values }))).toBe(0);
    const { examples } = readExamples(pathOf('listed'));
    expect(examples.fields.categories).toEqual([{ name: 'page', role: 'sensitive', buckets: 7 }]);
    // The seventh value is not in the list.
    expect(column(examples, 'page').slice(0, 8)).toEqual([1, 2, 3, 4, 5, 6, 0, 1]);
  });

  test('a list of which no row has a value is refused', async () => {
    const input = file('listed.ndjson', rows);
    expect(await makeData(input, 'none', mapWith({ kind: 'listed', values: ['shoes', 'hats'] }))).toBe(2);
    expect(err.join('')).toContain(
      'column "page": no row has any of the listed values; must be one of "shoes", "hats", was for example "page 0"',
    );
  });

  test('are written as programs write numbers and flags', async () => {
    const spellings = (page: string, index: number): object => ({ ...rows[index], page });
    const input = file('spelled.ndjson', ['0', '1', '0.0', '1.0', 'False', 'True', '2.0'].map(spellings));
    expect(await makeData(input, 'spelled', mapWith({ kind: 'listed', values: ['0', '1'] }))).toBe(0);
    const { examples } = readExamples(pathOf('spelled'));
    expect(column(examples, 'page')).toEqual([1, 2, 1, 2, 1, 2, 0]);
  });

  test('are listed as the log writes them', async () => {
    const input = file(
      'decimals.ndjson',
      ['0.0', '0.5', '1.0'].map((page, index) => ({ ...rows[index], page })),
    );
    expect(
      await makeData(input, 'decimals', mapWith({ kind: 'listed', values: ['0.0', '0.5', '1.0'] })),
    ).toBe(0);
    expect(column(readExamples(pathOf('decimals')).examples, 'page')).toEqual([1, 2, 3]);
    expect(await makeData(input, 'none', mapWith({ kind: 'listed', values: ['7.0'] }))).toBe(2);
    expect(err.join('')).toContain('must be one of "7.0", was for example "0.0"');
  });
});
