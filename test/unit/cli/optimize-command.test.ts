import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { main } from '../../../cli/main';
import { useCommands } from '../helpers/command';

const { out, err, pathOf, file } = useCommands();
const ROOT = join(__dirname, '../../..');

/** Arguments with spaces between them; `{}` stands for the path. */
const run = (command: string, path = ''): Promise<number> =>
  main(['optimize', ...command.split(' ').map((argument) => (argument === '{}' ? path : argument))]);

interface Printed {
  readonly past_sources: number;
  readonly late_conversions: number;
  readonly window_ends: readonly number[];
  readonly mean_wait: number;
  readonly configurations: readonly {
    readonly summary_buckets: readonly number[];
    readonly states: string;
    readonly expected_loss: number;
    readonly discretisation_loss: number;
  }[];
  readonly best: { readonly summary_buckets: readonly number[] } | null;
  readonly registration: object | null;
}

const printed = (): Printed => JSON.parse(out.splice(0).join('')) as Printed;

const GIVEN = '--values 0,5,10,50,100 --prior 0.9,0.05,0.03,0.015,0.005';
const PAST = 'id,value,delay\n1,,\n2,30,100.5\n3,0,\n4,60,90000\n5,"10",400000\n6,5,2592000\n7,7,7000\n';

test('a prior gives a table, a drawing, and a mark at the best', async () => {
  expect(await run(`${GIVEN} --epsilon 3`)).toBe(0);
  const lines = out.join('').split('\n');
  expect(lines.filter((line) => line.startsWith('*'))).toEqual([
    expect.stringMatching(/^\* +2 +5,50 +1 +3 +0\.1358 +1\.06 +yes +67\.46 /),
    '* the least expected loss of what fits',
  ]);
  const chart = lines.filter((line) => /[█░]{5}/.test(line));
  expect(chart).toHaveLength(4);
  // Blocks are to each other as the losses 43.63 and 24.11 of the first row and 76.07 of the last, which is the longest.
  expect(chart[0]?.match(/█/g)).toHaveLength(Math.round((50 * 43.63) / 76.07));
  expect(chart[3]?.match(/░/g)).toHaveLength(50);
});

test('for a total, other buckets are best, and the mark and the drawing are about the total', async () => {
  expect(await run(`${GIVEN} --epsilon 3 --for total`)).toBe(0);
  const lines = out.splice(0).join('').split('\n');
  expect(lines.filter((line) => line.startsWith('*'))).toEqual([
    expect.stringMatching(/^\* +1 +5 +1 +2 .* 878\.7 +4\.88 % /),
    '* the least error of the total of what fits',
  ]);
  expect(lines.find((line) => line.includes('░ noise'))).toMatch(/^Variance of the total/);
  const picture = pathOf('total.svg');
  expect(await run(`${GIVEN} --epsilon 3 --for total --svg {}`, picture)).toBe(0);
  expect(readFileSync(picture, 'utf8')).toMatch(/label best">1 \(best\)<[^]*variance of the total/);
});

test('the poisson loss counts from that of the exact value', async () => {
  expect(await run(`${GIVEN} --epsilon 14 --loss poisson --json`)).toBe(0);
  const { configurations } = printed();
  const all = configurations.at(-1);
  expect(all?.discretisation_loss).toBe(0);
  expect(all?.expected_loss).toBeGreaterThan(0);
  expect(all?.expected_loss).toBeLessThan(0.001);
  expect(configurations[0]?.discretisation_loss).toBeGreaterThan(0.1);
});

describe('a private prior', () => {
  const VALUES = '--csv {} --column value --values 0,5,10,50';
  /** 600 sources: 500 without conversion, 60 worth 7, 40 worth 80. None is worth exactly what is counted. */
  const past = (): string =>
    file('past.csv', `value\n${'0\n'.repeat(500)}${'7\n'.repeat(60)}${'80\n'.repeat(40)}`);
  const priorOf = (): { epsilon: number; values: number[]; probabilities: number[] } | null =>
    (JSON.parse(out.splice(0).join('')) as { prior: ReturnType<typeof priorOf> }).prior;

  test('is about that of the data, repeatable with a seed, and what label noise takes', async () => {
    const command = `${VALUES} --prior-epsilon 1 --seed a --json`;
    expect(await run(command, past())).toBe(0);
    const prior = priorOf();
    expect(await run(command, past())).toBe(0);
    expect(priorOf()).toEqual(prior);
    expect(prior?.values).toEqual([0, 5, 10, 50]);
    // Noise of scale 2 exceeds 40 with a probability of e^−20.
    [500, 60, 0, 40].forEach((count, index) =>
      expect(Math.abs((prior?.probabilities[index] ?? NaN) - count / 600)).toBeLessThan(0.08),
    );
    const labelNoise = { kind: 'rr-on-bins', values: prior?.values, prior: prior?.probabilities };
    const settings = file('settings.json', JSON.stringify({ labelNoise }));
    const log = file('log.ndjson', '');
    expect(
      await main(['simulate', '--input', log, '--output', pathOf('out.ndjson'), '--settings', settings]),
    ).toBe(0);
  });

  test('is not there without asking', async () => {
    expect(await run('--csv {} --column value --json', past())).toBe(0);
    expect(priorOf()).toBeNull();
  });

  test.each([
    [
      '--csv {} --column value --prior-epsilon 1',
      '--prior-epsilon: must come with --csv, --column and --values',
    ],
    [`${VALUES} --delay-column delay --prior-epsilon 1`, 'without --prior and --delay-column'],
    [`${VALUES} --prior-epsilon 0`, '--prior-epsilon must be greater than 0'],
    ['--csv {} --column value --values 5,10 --prior-epsilon 1', '--values must be ascending from 0'],
    ['--csv {} --column value --values 0,10,10 --prior-epsilon 1', '--values must be ascending from 0'],
  ])('%s is refused in one line', async (command, message) => {
    expect(await run(command, past())).toBe(2);
    expect(err.join('')).toContain(message);
  });
});

test('what does not fit says at which epsilon it would', async () => {
  expect(await run(`${GIVEN} --source-type event --max-buckets 2 --max-reports 3 --trigger-data 32`)).toBe(0);
  expect(out.join('')).toContain('no configuration fits');
  const epsilons = [...out.join('').matchAll(/ε ≤ ([\d.]+)/g)].map(([, epsilon]) => epsilon ?? '');
  expect(epsilons).toHaveLength(2);
  out.length = 0;
  expect(
    await run(
      `${GIVEN} --source-type event --max-buckets 1 --max-reports 3 --trigger-data 32 --epsilon ${epsilons[0] ?? ''} --json`,
    ),
  ).toBe(0);
  expect(printed().best?.summary_buckets).toHaveLength(1);
});

test.each([
  GIVEN,
  `${GIVEN} --epsilon 1/3 --source-type event`,
  `${GIVEN} --trigger-data 3 --max-reports 20 --max-buckets 4`,
  '--csv {} --column value --delay-column delay --windows 5',
])('the registration of %s is valid as it is', async (command) => {
  const type = command.includes('event') ? 'event' : 'navigation';
  expect(await run(`${command} --json`, file('past.csv', PAST))).toBe(0);
  const registration = file('registration.json', JSON.stringify(printed().registration));
  expect(await main(['validate', '--source', '--source-type', type, registration])).toBe(0);
  expect(printed()).toMatchObject({ errors: [], warnings: [] });
});

test('past sources give values and windows', async () => {
  const command = '--csv {} --column value --delay-column delay --windows 3 --json';
  expect(await run(command, file('past.csv', PAST))).toBe(0);
  expect(printed()).toMatchObject({
    past_sources: 7,
    late_conversions: 1,
    window_ends: [7001, 90001, 400001],
    // (7001 − 100 + 1 + 1 + 1) / 4: delays count in whole seconds.
    mean_wait: 1726,
    // A report can be in three windows: C(b + 3, b) states.
    configurations: [{ states: '4' }, { states: '10' }, { states: '20' }, { states: '35' }],
    best: { summary_buckets: [7, 10, 30, 60] },
  });
});

test('past sources are what their shares as a prior are, and empty lines are sources', async () => {
  await run('--csv {} --column value --json', file('past.csv', '\uFEFFvalue\n5\n\n10\n\n5\n0\n\n5\n5\n\n'));
  const { configurations } = printed();
  await run('--values 0,5,10 --prior 0.5,0.4,0.1 --json');
  expect(printed().configurations).toEqual(configurations);
});

describe('past sources in several formats', () => {
  /** Jest cannot load what writes and reads Parquet, which is a module. */
  const node = (...args: readonly string[]): string =>
    execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });

  function writeParquet(name: string, values: readonly number[]): string {
    const program = `
      import { parquetWriteBuffer } from 'hyparquet-writer';
      import { writeFileSync } from 'node:fs';
      const [file, values] = process.argv.slice(1);
      const columnData = [{ name: 'value', type: 'DOUBLE', data: JSON.parse(values) }];
      writeFileSync(file, Buffer.from(parquetWriteBuffer({ columnData })));`;
    node('--input-type=module', '-e', program, pathOf(name), JSON.stringify(values));
    return pathOf(name);
  }

  const gzipped = (name: string, text: string): string => {
    writeFileSync(pathOf(name), gzipSync(text));
    return pathOf(name);
  };

  test('each file is read as its name says', () => {
    const files = [
      file('a.ndjson', [{ value: 5 }, {}]),
      file('b.csv', 'value\n10\n\n'),
      file('c.tsv', 'id\tvalue\n1\t5\n'),
      writeParquet('d.parquet', [5, 0]),
      gzipped('e.ndjson.gz', '{"value":"5"}\n'),
      gzipped('f.csv.gz', 'value\n0\n'),
      // Without a known ending: lines of JSON.
      file('g.json', [{ value: 5 }]),
    ];
    const command = ['cli/cointoss.mjs', 'optimize', '--json', '--csv'];
    const mixed = JSON.parse(node(...command, ...files, '--column', 'value')) as Printed;
    const one = file('one.csv', 'value\n5\n5\n5\n5\n5\n10\n\n\n0\n0\n');
    expect(mixed).toEqual(JSON.parse(node(...command, one, '--column', 'value')));
    expect(mixed.past_sources).toBe(10);
    const summary = [...command, ...files, '--summary', '--queries', 'value'];
    expect(JSON.parse(node(...summary))).toMatchObject({ best: { queries: [{ query: 'value' }] } });
  });

  test('standard input, which has no name, is CSV', () => {
    const command = [
      'cli/cointoss.mjs',
      'optimize',
      '--json',
      '--csv',
      '-',
      file('a.ndjson', [{ value: 5 }]),
    ];
    const options = { cwd: ROOT, encoding: 'utf8', input: 'value\n10\n' } as const;
    const { past_sources: sources } = JSON.parse(
      execFileSync(process.execPath, [...command, '--column', 'value'], options),
    ) as Printed;
    expect(sources).toBe(2);
  });
});

test('many rows are read', async () => {
  const rows = Array.from({ length: 20_000 }, (_, row) => `${row % 1000},${row}`);
  const path = file('past.csv', `value,delay\n${rows.join('\n')}\n`);
  expect(await run('--csv {} --column value --delay-column delay --windows 2 --json', path)).toBe(0);
  const { past_sources: sources, window_ends: ends } = printed();
  expect(sources).toBe(20_000);
  expect(ends.at(-1)).toBe(20_000);
});

test('--svg writes the picture', async () => {
  const path = pathOf('trade-off.svg');
  expect(await run(`${GIVEN} --svg {}`, path)).toBe(0);
  expect(readFileSync(path, 'utf8')).toMatch(/^<svg [^]*<\/svg>\n$/);
});

test.each([
  ['--values 0,1 --prior 0.5,0.4', '--prior must be a list of probabilities that sum to 1, was 0.9'],
  ['--values 0,2,1 --prior 0.5,0.3,0.2', '--values[2] must be greater than 2, the value before, was "1"'],
  ['--values 1,1 --prior 0.5,0.5', '--values[1] must be greater than 1, the value before, was "1"'],
  ['--values=-1,1 --prior 0.5,0.5', '--values[0] must be an integer from 0 to 4294967295, was "-1"'],
  [
    '--values 0,4294967296 --prior 0.5,0.5',
    '--values[1] must be an integer from 0 to 4294967295, was "4294967296"',
  ],
  [
    '--values 0,1,2 --prior 0.5,0.5',
    '--values must have as many numbers as the prior has probabilities (2), has 3',
  ],
  [
    '--values 0,1 --prior 1,0',
    '--values must include a value above 0 that has a probability above 0; otherwise there is nothing to report',
  ],
  [`${GIVEN} --epsilon 0`, '--epsilon must be greater than 0 and finite, was "0"'],
  [`${GIVEN} --epsilon -1`, '--epsilon must be greater than 0 and finite, was "-1"'],
  [`${GIVEN} --epsilon NaN`, '--epsilon must be greater than 0 and finite, was "NaN"'],
  [`${GIVEN} --epsilon 14.5`, '--epsilon must be greater than 0 and at most 14, was "14.5"'],
  [`${GIVEN} --max-buckets 21`, '--max-buckets must be an integer from 1 to 20, was "21"'],
  [`${GIVEN} --max-buckets 3 --max-reports 2`, '--max-buckets must be an integer from 1 to 2, was "3"'],
  [`${GIVEN} --max-reports 21`, '--max-reports must be an integer from 1 to 20, was "21"'],
  [`${GIVEN} --trigger-data 33`, '--trigger-data must be an integer from 1 to 32, was "33"'],
  [`${GIVEN} --windows 2`, '--windows must be 1 without --delay-column, was "2"'],
  [`${GIVEN} --windows 6`, '--windows must be an integer from 1 to 5, was "6"'],
  [`${GIVEN} --sources 0`, '--sources must be an integer from 1 to 9007199254740991, was "0"'],
  ['--values 0,1', 'needs either --values and --prior, or --csv and --column'],
  [`${GIVEN} --csv x`, 'needs either --values and --prior, or --csv and --column'],
  ['--csv x', 'needs either --values and --prior, or --csv and --column'],
])('%s is refused in one line', async (command, message) => {
  expect(await run(command)).toBe(2);
  expect(out).toEqual([]);
  expect(err).toEqual([expect.stringContaining(`cointoss: optimize: ${message}`)]);
  expect(err.join('').match(/\n/g)).toHaveLength(1);
});

test.each([
  [
    'no column of that name',
    'id,worth\n1,2\n',
    'line 1: must name one column "value", which is to be read; has id, worth',
  ],
  [
    'two of that name',
    'value,value\n1,2\n',
    'line 1: must name one column "value", which is to be read; has value, value',
  ],
  ['nothing in it', '', 'line 1: must be the names of the columns'],
  [
    'a cell that is no number',
    'value\n\n1\nx\n',
    'line 4: column "value" must be an integer from 0 to 4294967295, was "x"',
  ],
  [
    'a negative cell',
    'value\n-1\n',
    'line 2: column "value" must be an integer from 0 to 4294967295, was "-1"',
  ],
  [
    'a fraction',
    'n,value\n"a\nb",1\n2,2.5\n',
    'line 4: column "value" must be an integer from 0 to 4294967295, was "2.5"',
  ],
  ['a row that is too short', 'id,value\n1,2\n3\n', 'line 3: must have 2 columns, has 1'],
  ['a quote that stays open', 'value\n"1\n2\n', 'line 3: must be CSV: a quoted cell has no end'],
  ['no conversion', 'value\n0\n\n', 'column "value" must have a value above 0'],
])('a CSV file with %s is refused in one line', async (_what, content, message) => {
  const path = file('past.csv', content);
  expect(await run('--csv {} --column value', path)).toBe(2);
  expect(out).toEqual([]);
  expect(err).toEqual([expect.stringContaining(`cointoss: ${path}: ${message}`)]);
  expect(err.join('').match(/\n/g)).toHaveLength(1);
});

test.each([
  ['value,delay\n1,\n', 'line 2: column "delay" must be a number of seconds of at least 0, was ""'],
  ['value,delay\n0,x\n1,-3\n', 'line 3: column "delay" must be a number of seconds of at least 0, was "-3"'],
  [
    'value,delay\n5,2592000\n',
    'column "value" must have a value above 0, less than 2592000 s after its source',
  ],
])('delays in %p are refused in one line', async (content, message) => {
  const path = file('past.csv', content);
  expect(await run('--csv {} --column value --delay-column delay', path)).toBe(2);
  expect(err).toEqual([expect.stringContaining(`cointoss: ${path}: ${message}`)]);
});

test('files that cannot be read or written are named', async () => {
  const missing = pathOf('none/x');
  expect(await run('--csv {} --column value', missing)).toBe(2);
  expect(await run(`${GIVEN} --svg {}`, missing)).toBe(2);
  expect(err).toEqual([
    expect.stringMatching(/none.x: cannot be read: .*ENOENT/),
    expect.stringMatching(/none.x: cannot be written: .*ENOENT/),
  ]);
  expect(out).toEqual([]);
});

test('the picture does not replace what it is made of', async () => {
  const path = file('past.csv', 'value\n1\n');
  expect(await main(['optimize', '--csv', path, '--column', 'value', '--svg', path])).toBe(2);
  expect(err).toEqual([`cointoss: ${path}: must not be the input as well\n`]);
  expect(readFileSync(path, 'utf8')).toBe('value\n1\n');
});
