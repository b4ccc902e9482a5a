import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { jsonBytes } from '../../../cli/io/json-bytes';
import { main } from '../../../cli/main';
import { root } from '../../../node/root';
import { shellPath } from '../../../node/shell-path';
import { visible } from '../../../scripts/visible.mjs';
import { calls } from '../helpers/calls';
import { useCommands } from '../helpers/command';

const { out, err, pathOf, file } = useCommands();

/** What a terminal obeys, or shows as something else: C0, C1, DEL, marks of direction, line separators, what has no width. */
const OBEYED =
  // oxlint-disable-next-line no-control-regex -- they are looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]/;
const withoutPairs = (text: string): string => text.replaceAll(/[\ud800-\udbff][\udc00-\udfff]/g, '');
const isObeyed = (text: string): boolean => OBEYED.test(withoutPairs(text));

describe('a text of others', () => {
  const nasty = fc.string({
    unit: fc.oneof(
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom('\u001b', '\n', '\u009b', '\u202e', '\u2066', '"', '\\', '\u{e0041}', '😀'),
    ),
  });

  test('has nothing that a terminal obeys, and within JSON stays what it is', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(isObeyed(visible(text))).toBe(false);
        expect(JSON.parse(visible(JSON.stringify(text)))).toBe(text);
      }),
      { numRuns: 2000, seed: 1 },
    );
  });

  test.each([
    ['\u001b]0;owned\u0007', String.raw`\u001b]0;owned\u0007`],
    ['a\r\nb', String.raw`a\u000d\u000ab`],
    ['\u{e0041}', String.raw`\udb40\udc41`],
    ['größer 😀 日本', 'größer 😀 日本'],
  ])('%j is shown as %j', (text, shown) => expect(visible(text)).toBe(shown));

  test('is one word of a shell, and no option', () => {
    const name = fc
      .string({ unit: fc.constantFrom(...Array.from('\'"$`\\!*?~ -\n\u001b;&|(){}[]#é😀a')) })
      .filter((text) => text !== '');
    // Several for each shell, because to start one from a test takes forty times as long as a word.
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 100, size: 'max' }), (texts) => {
        const words = texts.map((text) => shellPath(text));
        expect(words.filter(isObeyed)).toEqual([]);
        const said = execFileSync('bash', ['-c', `printf '%s\\0' ${words.join(' ')}`], { encoding: 'utf8' });
        const heard = said.split('\0').slice(0, -1);
        expect(heard.map((one) => one.replace(/^\.\//, ''))).toEqual(
          texts.map((text) => text.replace(/^\.\//, '')),
        );
        expect(heard.filter((one) => one.startsWith('-'))).toEqual([]);
      }),
      { numRuns: 8, seed: 2 },
    );
  });
});

const HOSTILE = 'x\u001b]0;owned\u0007\n\u009b2J\u202e';

const contents: Readonly<Record<string, string>> = {
  'that is not there': '',
  'that is no JSON': HOSTILE,
  'with hostile names': `${JSON.stringify({ [HOSTILE]: HOSTILE })}\n`,
  'with raw C1 and marks of direction in JSON': '{"\u009b31m\u202e": "\u009b", "input": "\u202e"}\n',
  'with a hostile column': `"${HOSTILE}",b\n1,2,3\n`,
};

test('each command is tried', async () => {
  await main(['--help']);
  const named = [...out.join('').matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
  expect(named.filter((name) => name !== 'help' && !calls('').some(([first]) => first === name))).toEqual([]);
});

describe.each(Object.entries(contents))('a file %s', (_what, content) => {
  test.each(calls('NAME').map((call) => [call.join(' '), call]))('cointoss %s', async (_call, call) => {
    const name = content === '' ? pathOf(HOSTILE) : file(`${HOSTILE}.csv`, content);
    if (content !== '') expect(existsSync(name)).toBe(true);
    const exitCode = await main(call.map((word) => word.replace('NAME', name)));
    expect([0, 1, 2]).toContain(exitCode);
    const said = [...out, ...err].join('');
    expect(said).not.toBe('');
    expect(said.split('\n').filter(isObeyed)).toEqual([]);
    expect(
      err
        .join('')
        .split('\n')
        .filter((line) => !/^(cointoss: .*|)$/.test(line)),
    ).toEqual([]);
  });
});

const HOSTILE_NAME = 'x\u001b]0;owned\u0007\u009b2J\u007f\u202e\u2028';

test('JSON in files and streams has nothing that a terminal obeys, and says the same', () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom(...Array.from(HOSTILE_NAME), '"', '\\', '\n', 'a', 'é', '😀'),
      fc.string(),
    ),
  });
  fc.assert(
    fc.property(fc.dictionary(text, text), (value) => {
      for (const indent of [0, 1]) {
        const written = new TextDecoder().decode(jsonBytes(JSON.stringify(value, null, indent)));
        expect(written.split('\n').some(isObeyed)).toBe(false);
        expect(JSON.parse(written)).toEqual(value);
      }
    }),
    { numRuns: 500, seed: 3 },
  );
  const plain = '{"user":"größe 😀","a":[1,\t2]}\r\n';
  expect(new TextDecoder().decode(jsonBytes(plain))).toBe(plain);
});

describe('what a command writes of hostile names', () => {
  const registered = (eligible: string | null, field: string, header: object): object => ({
    registration_request: {
      context_origin: eligible === null ? 'https://shop.example' : 'https://news.example',
      ...(eligible === null ? {} : { 'Attribution-Reporting-Eligible': eligible }),
    },
    responses: [
      { url: 'https://ads.example/', response: { [`Attribution-Reporting-Register-${field}`]: header } },
    ],
  });
  const log = [
    {
      timestamp: '0',
      ...registered('navigation-source', 'Source', {
        destination: 'https://shop.example',
        filter_data: { [HOSTILE_NAME]: [HOSTILE_NAME] },
      }),
    },
    { timestamp: '1000', ...registered(null, 'Trigger', { event_trigger_data: [{}] }) },
  ].map((event) => ({ user: HOSTILE_NAME, ...event }));
  const row = {
    source_event_id: '1',
    reporting_origin: 'https://ads.example',
    destination: 'https://shop.example',
    source_type: 'event',
    time: '2026-01-01T00:00:00.000Z',
    registration: {},
    campaign: HOSTILE_NAME,
    user: HOSTILE_NAME,
  };
  const groups = ['--group-by', 'campaign'];

  test.each<[string, () => readonly string[], readonly string[]]>([
    [
      'simulate',
      () => [
        '--input',
        file('log', log),
        '--no-noise',
        '--with-users',
        '--output',
        '-',
        '--sources-output',
        pathOf('sources'),
        '--summary',
        pathOf('summary'),
        '--threads',
        '1',
      ],
      ['sources', 'summary'],
    ],
    [
      'simulate',
      () => [
        '--input',
        file('log', log),
        '--no-noise',
        '--with-users',
        '--output',
        pathOf('out'),
        '--threads',
        '1',
      ],
      ['out'],
    ],
    ['shard', () => ['--of', '1', '--input', file('log', log), '--output', pathOf('out{}')], ['out0']],
    [
      'estimate',
      () => [
        '--sources',
        file('sources', [row]),
        '--reports',
        file('reports', ''),
        ...groups,
        '--statistics-output',
        pathOf('counted'),
        '--output',
        pathOf('out'),
      ],
      ['counted', 'out'],
    ],
    [
      'estimate',
      () => ['--sources', file('sources', [row]), '--reports', file('reports', ''), ...groups],
      [],
    ],
    ['reach', () => ['--sources', file('sources', [row]), ...groups, '--output', pathOf('out')], ['out']],
  ])('%s is nothing that a terminal obeys: case %#', async (command, options, files) => {
    const written: string[] = [];
    jest.spyOn(process.stdout, 'write').mockImplementation((some) => {
      written.push(typeof some === 'string' ? some : Buffer.from(some).toString());
      return true;
    });
    expect(await main([command, ...options()])).toBe(0);
    const texts = [written.join(''), ...files.map((name) => readFileSync(pathOf(name), 'utf8'))].filter(
      Boolean,
    );
    expect(texts.some((text) => text.includes('\\u009b2J'))).toBe(true);
    expect(texts.flatMap((text) => text.split('\n')).filter(isObeyed)).toEqual([]);
  });

  test('stays in CSV, which has no escapes', async () => {
    const call = ['simulate', '--input', file('log', log), '--no-noise', '--with-users', '--threads', '1'];
    expect(await main([...call, '--output', pathOf('out.csv')])).toBe(0);
    expect(readFileSync(pathOf('out.csv'), 'utf8')).toContain(HOSTILE_NAME);
  });
});

test('a table has each name on its line', async () => {
  const sources = file('sources.ndjson', [
    {
      source_event_id: '1',
      reporting_origin: 'https://ads.example',
      destination: 'https://shop.example',
      source_type: 'event',
      time: '2026-01-01T00:00:00.000Z',
      registration: {},
      campaign: HOSTILE,
    },
  ]);
  const reports = file('reports.ndjson', '');
  expect([
    await main(['estimate', '--reports', reports, '--sources', sources, '--group-by', 'campaign', '--table']),
    err.filter((line) => !line.includes('no rows')),
  ]).toEqual([0, []]);
  expect(out.join('')).toContain(`campaign ${visible(HOSTILE)}: 1 source`);
  expect(out.join('').split('\n').filter(isObeyed)).toEqual([]);
});

test('a notebook reads no file whose name goes on after the ending of data, and its title is no markup', async () => {
  const folder = pathOf('a<img src=x>\n# [b](javascript:0)');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'reports.csv'), 'a\n');
  writeFileSync(path.join(folder, 'sources.csv'), 'a\n');
  for (const name of ['reports.csv.$(touch owned)', 'estimates.csv\n\n<b>'])
    writeFileSync(path.join(folder, name), 'a\n');
  expect(await main(['notebook', folder])).toBe(0);
  const text = readFileSync(path.join(folder, 'notebook.ipynb'), 'utf8');
  const { cells } = JSON.parse(text) as { cells: { cell_type: string; source: string }[] };
  const prose = cells.filter(({ cell_type: type }) => type === 'markdown').map(({ source }) => source);
  expect(prose[0]).toMatch(/^# a\\<img src=x\\>\\\\u000a\\# \\\[b\\\]\(javascript:0\)\n\nWritten by/);
  expect(prose.join('')).toContain('--reports reports.csv --sources sources.csv');
  expect(text).not.toContain('owned');
});

const impression = {
  user: 'a',
  timestamp: '0',
  registration_request: {
    context_origin: 'https://news.example',
    'Attribution-Reporting-Eligible': 'navigation-source',
  },
  responses: [
    {
      url: 'https://ads.example/',
      response: { 'Attribution-Reporting-Register-Source': { destination: 'https://shop.example' } },
    },
  ],
};

test('a folder with links in circles is read once', async () => {
  mkdirSync(pathOf('in'));
  for (const name of ['a', 'b']) symlinkSync('.', path.join(pathOf('in'), name));
  symlinkSync('c', path.join(pathOf('in'), 'c'));
  writeFileSync(path.join(pathOf('in'), 'log'), `${JSON.stringify(impression)}\n`);
  const outputs = ['--output', pathOf('reports'), '--sources-output', pathOf('sources')];
  expect(await main(['simulate', '--input', pathOf('in'), '--threads', '1', ...outputs])).toBe(0);
  expect(readFileSync(pathOf('sources'), 'utf8').trimEnd().split('\n')).toHaveLength(1);
});

/** Every path to a terminal or a file in commands and collector. */
const sources = ['cli', 'collector', 'node'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.m?ts$/.test(name))
    .map((name) => path.join(folder, name)),
);
const textOf = (name: string): string => readFileSync(path.join(root, name), 'utf8');

test('only terminal.ts, the collector’s log and the pool of threads write to the terminal', () => {
  const writers = sources.filter((name) =>
    /console\.|std(out|err)\.write|\{ std(out|err) \}/.test(textOf(name)),
  );
  expect(writers.sort()).toEqual(['cli/io/terminal.ts', 'collector/server.ts', 'node/worker-pool.ts']);
});

/** What becomes bytes and is no JSON, or is read by the same command only. */
const OTHER_BYTES: readonly (readonly [file: string, written: string])[] = [
  ['cli/io/aggregation-keys.ts', "Buffer.from(part, 'base64url')"],
  ['cli/io/aggregation-keys.ts', 'replaceFile(file, `${JSON.stringify(keyPairs.write({ keys }), null, 2)}'],
  ['cli/aggregate/ledger.ts', 'replaceFile(file, JSON.stringify(summaryRows.write(draw()))'],
  ['cli/learn/examples-file.ts', 'Buffer.from('],
  ['cli/experiment/log.ts', "Buffer.from(lines.join(''))"],
  ['cli/experiment/results.ts', "path.join(folder, 'report.html')"],
  ['cli/io/json-bytes.ts', 'new TextEncoder()'],
  ['cli/learn/results.ts', 'reportHtml('],
  ['cli/notebook/notebook.ts', 'readFileSync('],
  ['cli/init/init.ts', 'figureOf('],
  ['cli/optimize/optimize.ts', 'tradeOffSvg('],
  ['cli/io/output.ts', 'Buffer.from(content)'],
  ['cli/io/output.ts', 'export function replaceFile('],
  ['cli/sample/histogram.ts', 'squaredErrorsSvg('],
  ['cli/sample/matching.ts', 'replaceFile(svg, matchingLossesSvg(losses))'],
  ['cli/simulate/checkpoint.ts', 'replaceFile(this.file, `${JSON.stringify(checkpoint)}'],
  // CSV has no escapes.
  ['cli/io/table-file.ts', 'Buffer.from(text)'],
  // Keys and invitation codes, which it makes itself.
  ['cli/trial/keys.ts', 'Buffer.from(text)'],
  ['cli/io/zstd.ts', 'Buffer.from('],
  // Payloads and bytes of reports, in other digits.
  ['cli/aggregate/input.ts', "Buffer.from(payload.slice(2), 'hex')"],
  ['cli/io/avro.ts', 'Buffer.from(value)'],
  // For a program that reads it from a pipe.
  ['cli/learn/torch-engine.ts', 'Buffer.from(header)'],
  // To read them as text.
  ['cli/estimate/read-part.ts', 'Buffer.from(bytes.buffer'],
  // UTF-16 as UTF-8, which is read on.
  ['cli/io/unpacked.ts', 'Buffer.from(decoder.decode('],
];

test('JSON becomes bytes in json-bytes.ts only', () => {
  const unknown = sources
    .filter((name) => name.startsWith('cli/'))
    .flatMap((name) =>
      [...textOf(name).matchAll(/(?:new TextEncoder\(|Buffer\.from\(|\breplaceFile\()[^;]*;?/g)].flatMap(
        ([call]) => {
          const isKnown =
            call.includes('jsonBytes(') ||
            OTHER_BYTES.some(
              ([file, written]) => file === name && `export function ${call}`.includes(written),
            );
          return isKnown ? [] : [`${name}: ${call}`];
        },
      ),
    );
  expect(unknown).toEqual([]);
});

/** What reads, or removes a name without following it. */
const HARMLESS = [
  ...['existsSync', 'readFileSync', 'readFile', 'createReadStream', 'readSync', 'closeSync', 'fsyncSync'],
  ...[
    'fdatasync',
    'statSync',
    'lstatSync',
    'fstatSync',
    'realpathSync',
    'readdirSync',
    'rmdirSync',
    'rmSync',
    'rm',
    'write',
  ],
];

test('only node/files.ts opens, makes or renames files and folders', () => {
  const used = sources.flatMap((name) =>
    [...textOf(name).matchAll(/import (\{[^}]*\}|\S+(?: as \S+)?) from 'node:fs(?:\/promises)?'/g)].flatMap(
      ([, names = '']) => names.split(/[{},\s]+/).map((one) => ({ name, one })),
    ),
  );
  const types = new Set(['', 'type', 'Stats', 'BigIntStats', 'WriteStream']);
  const others = used.filter(({ one }) => !types.has(one) && !HARMLESS.includes(one));
  expect(others.filter(({ name }) => name !== 'node/files.ts')).toEqual([
    { name: 'node/owner-only.ts', one: 'chmodSync' },
  ]);
  expect(others.length).toBeGreaterThan(8);
  const hidden = sources.filter((name) =>
    /require\(|import\('node:fs|process\.binding|from 'fs'/.test(textOf(name)),
  );
  expect(hidden).toEqual([]);
});

/**
 * Scripts cannot share node/files.ts: they run before TypeScript is compiled. What they, benchmarks and integrations write is exclusive (no link
 * is followed), or in a folder that only its owner may open, or in the clone itself, into which nobody else may write. The number of calls is
 * stated, so that a new one is looked at.
 */
const WRITERS: Readonly<Record<string, readonly [calls: number, where: 'temporary' | 'clone']>> = {
  'scripts/archive.mjs': [2, 'temporary'],
  'scripts/compile.mjs': [5, 'clone'],
  'scripts/empty-pglite.mjs': [2, 'clone'],
  'scripts/npm-packages.mjs': [6, 'clone'],
  'scripts/python.mjs': [1, 'clone'],
  'scripts/slow-and-flaky.mjs': [2, 'clone'],
  'bench/day.ts': [2, 'temporary'],
  'bench/growth-commands.ts': [1, 'temporary'],
  'bench/time-left.ts': [1, 'temporary'],
  'bench/empty-extension.ts': [3, 'temporary'],
  'bench/measurement-simulation.ts': [1, 'temporary'],
  'bench/simulate-worker.ts': [2, 'temporary'],
  'bench/simulate.ts': [1, 'temporary'],
  'bench/trial-results.ts': [2, 'clone'],
  'bench/waits.ts': [2, 'temporary'],
  'scripts/spark.mjs': [1, 'temporary'],
  // And a new folder that only its owner can open.
  'integrations/spark/cointoss_spark.py': [3, 'temporary'],
};

/** These write into a folder that others make. */
const GIVEN_A_FOLDER = ['empty-extension', 'time-left'].map((name) => `bench/${name}.ts`);

test('scripts, benchmarks and integrations write where nobody else can have put a link', () => {
  const found = ['scripts', 'bench', 'integrations']
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        path.join(folder, name),
      ),
    )
    .filter((name) => /\.(mjs|ts|py|sh|sbatch)$/.test(name))
    .flatMap((name) => {
      const calls = [
        ...textOf(name).matchAll(
          /(?<![.\w])(?:(?:writeFile|appendFile|copyFile|cp|rename|symlink|truncate)(?:Sync)?|createWriteStream|write_(?:text|bytes))\([^;]*|\bopen(?:Sync)?\([^)]*['"][wax]\+?b?['"]/g,
        ),
      ].filter(([call]) => !/flag: 'wx'/.test(call));
      return calls.length === 0 ? [] : [[name, calls.length] as const];
    });
  // lock.mjs makes its file exclusively under a name of its own, and links it.
  const others = found.filter(([name]) => name !== 'scripts/lock.mjs');
  expect(Object.fromEntries(others)).toEqual(
    Object.fromEntries(Object.entries(WRITERS).map(([name, [calls]]) => [name, calls])),
  );
  for (const [name, [, where]] of Object.entries(WRITERS))
    if (where === 'temporary' && !GIVEN_A_FOLDER.includes(name))
      expect(textOf(name)).toMatch(/mkdtemp|TemporaryDirectory/);
  expect(textOf('bench/page-cost.ts')).toMatch(/mkdtemp[^]*writeEmptyExtension/);
  expect(textOf('bench/waits.ts')).toMatch(/mkdtemp[^]*benchTimeLeft/);
  expect(textOf('bench/day.ts')).toMatch(/mkdtemp[^]*writeLog/);
  expect(textOf('bench/growth-commands.ts')).toMatch(/mkdtemp[^]*writeLog[^]*copyRows/);
});
