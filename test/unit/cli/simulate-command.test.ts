import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { main } from '../../../cli/main';
import { planOf } from '../../../cli/simulate/options';
import { ByteSource } from '../../../cli/io/byte-source';
import { linesOf } from '../../../node/lines';
import { summaryLines } from '../../../cli/simulate/summary';
import type { Settings } from '../../../formats/settings/settings';
import { OutcomeCounter } from '../../../analysis/simulation/outcome-counter';
import { generateUser } from '../../../analysis/simulation/generate';
import { jointly } from '../helpers/budgets';
import { isLong } from '../helpers/is-long';

/* In this process with one thread, and where threads, pipes, kills or Zstandard matter, as people run it. */

const COMMAND = join(__dirname, '../../../cli/cointoss.mjs');
const TRIAL = join(__dirname, '../../../docs/field-trial/trial.json');
const SEED = 'command';
const USERS = isLong ? 110 : 36;
/** For runs in which one part will do. */
const FEW = isLong ? 20 : 10;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cointoss-simulate-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

const path = (name: string): string => join(folder, name);
const text = (name: string): string => readFileSync(path(name), 'utf8');

function file(name: string, content: string | Uint8Array): string {
  writeFileSync(path(name), content);
  return path(name);
}

interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function run(command: string, args: readonly string[], input = ''): Run {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, command, ...args], {
    input,
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

const simulate = (input: string, output: string, more = '', text = ''): Run =>
  run('simulate', ['--input', input, '--output', output, ...wordsOf(more)], text);

/** Asserts that all went well, and returns what the command printed. */
function succeeded({ code, err }: Run): string {
  expect({ code, err }).toMatchObject({ code: 0 });
  return err;
}

/** What a command says when it runs in this process. */
async function runHere(...args: readonly string[]): Promise<Run> {
  const said: { readonly out: string[]; readonly err: string[] } = { out: [], err: [] };
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => said.out.push(String(text)) > 0);
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => said.err.push(String(text)) > 0);
  const code = await main(args);
  jest.restoreAllMocks();
  return { code, out: said.out.join(''), err: said.err.join('') };
}

const simulateHere = (input: string, output: string, more = ''): Promise<Run> =>
  runHere('simulate', '--input', input, '--output', output, '--threads', '1', ...wordsOf(more));

const wordsOf = (text: string): readonly string[] => text.split(' ').filter((word) => word !== '');

const lines = (users: number): string[] =>
  Array.from({ length: users }, (_, number) => generateUser(SEED, number))
    .flat()
    .map((line) => JSON.stringify(line));

/** Padded with spaces, because a log is cut into parts of 256 KiB: five users are one. */
const long = (users: number): string[] =>
  lines(users).map((line) => line.replace(/\}$/, `${' '.repeat(12_000)}}`));

/** A log of several parts, and what is made of it. */
let log: string;
let reports: string;
/** A log of one part, and what is made of it. */
let small: string;
let smallReports: string;

beforeAll(async () => {
  log = file('log.ndjson', `${long(USERS).join('\n')}\n`);
  const options = `--seed 1 --summary ${path('summary.json')} --sources-output ${path('sources.ndjson')}`;
  succeeded(await simulateHere(log, path('reports.ndjson'), options));
  reports = text('reports.ndjson');
  small = file('small.ndjson', `${lines(FEW).join('\n')}\n`);
  succeeded(await simulateHere(small, path('small-reports.ndjson'), '--seed 1'));
  smallReports = text('small-reports.ndjson');
});

test('a log becomes reports as replay prints them, and a summary that adds up', () => {
  const printed = reports
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  for (const report of printed) expect(Object.keys(report)).toEqual(['report_time', 'report_url', 'payload']);
  const summary = JSON.parse(text('summary.json')) as Record<string, Record<string, number>>;
  expect(summary).toMatchObject({
    users: USERS,
    lines: lines(USERS).length,
    reports: { delivered: printed.length },
  });
  const sum = (section: string): number =>
    Object.values(summary[section] ?? {}).reduce((all, one) => all + one, 0);
  expect(sum('sources') + sum('triggers')).toBe(lines(USERS).length);
  expect(sum('triggers_dropped')).toBe(summary['triggers']?.['dropped']);
  expect(readdirSync(folder).filter((name) => name.includes('checkpoint'))).toEqual([]);
});

test('estimate reads the reports and the source log, compressed or not, and grouped by filter data', async () => {
  for (const name of ['reports.ndjson', 'sources.ndjson'])
    file(`${name}.gz`, gzipSync(readFileSync(path(name))));
  const stored = text('sources.ndjson').trimEnd().split('\n');
  const estimate = (ending: string): Promise<Run> =>
    runHere(
      'estimate',
      ...['--reports', path(`reports.ndjson${ending}`), '--sources', path(`sources.ndjson${ending}`)],
      ...['--group-by', 'format'],
    );
  const plain = await estimate('');
  succeeded(plain);
  expect((await estimate('.gz')).out).toBe(plain.out);
  const {
    sources,
    reports: used,
    configurations,
  } = JSON.parse(plain.out) as {
    readonly sources: Record<string, number>;
    readonly reports: Record<string, number>;
    readonly configurations: readonly { readonly groups: readonly { readonly group: object }[] }[];
  };
  expect(sources).toMatchObject({ read: stored.length, used: stored.length, unknown_configuration: 0 });
  expect(used['used']).toBe(reports.trimEnd().split('\n').length);
  const groups = configurations.flatMap(({ groups: found }) => found.map(({ group }) => group));
  expect(groups).toEqual(expect.arrayContaining([{ format: 'banner' }, { format: 'link' }]));
  const summary = JSON.parse(text('summary.json')) as { readonly sources: { readonly stored: number } };
  expect(stored).toHaveLength(summary.sources.stored);
});

test('the source log has the ε that the budget grants, also of sources for which no conversion counts', async () => {
  const settings = file('budget.json', JSON.stringify({ budget: { unit: 'user', epsilon: 2, cap: 1 } }));
  const output = path('budget-sources.ndjson');
  const some = file('some.ndjson', `${lines(5).join('\n')}\n`);
  const options = `--settings ${settings} --sources-output ${output} --summary ${path('budget-summary.json')}`;
  expect(await simulateHere(some, path('budget.ndjson'), options)).toMatchObject({ code: 0 });
  const rows = text('budget-sources.ndjson').trimEnd().split('\n');
  const { sources, sources_over_budget: over } = JSON.parse(text('budget-summary.json')) as Record<
    string,
    Record<string, number>
  >;
  expect(rows).toHaveLength(sources?.['stored'] ?? 0);
  expect(over?.['impressions']).toBeGreaterThan(0);
  for (const row of rows) expect(JSON.parse(row)).toMatchObject({ epsilon: 2, mechanism: { kind: 'rr' } });
});

test('settings without effect are named with the reason, and refused unless that is accepted', async () => {
  const noise = { labelNoise: { kind: 'unbiased', values: [0, 1], prior: [0.5, 0.5] } };
  const settings = file('no-effect.json', JSON.stringify(noise));
  const options = `--seed 1 --settings ${settings} --summary ${path('no-effect-summary.json')}`;
  const refused = await simulateHere(small, path('no-effect.ndjson'), options);
  expect(refused.code).toBe(2);
  expect(refused.err).toContain('labelNoise had no effect: no source got its mechanism');
  const summary = JSON.parse(text('no-effect-summary.json')) as Record<string, Record<string, number>>;
  expect(summary['setting_effects']).toEqual({ labelNoise: 0 });
  const fallbacks = Object.values(summary['mechanism_fallbacks'] ?? {}).reduce((all, one) => all + one, 0);
  expect(fallbacks).toBe(summary['sources']?.['stored']);
  // The output is complete: it is only not what was asked for.
  expect(text('no-effect.ndjson') === smallReports).toBe(true);
  const accepted = await simulateHere(small, path('no-effect.ndjson'), `${options} --allow-no-effect`);
  expect(succeeded(accepted)).toContain('warning: labelNoise had no effect');
  // By chance, a part of a log can have no source that qualifies.
  succeeded(await simulateHere(small, path('no-effect.ndjson'), `${options} --shard 0/2`));
  const merged = await runHere('merge', path('no-effect-summary.json'), path('no-effect-summary.json'));
  expect(merged.code).toBe(0);
  expect(merged.err).toContain('warning: labelNoise had no effect');
  expect((JSON.parse(merged.out) as typeof summary)['setting_effects']).toEqual({ labelNoise: 0 });
});

test('the same with more threads, through a pipe, without sorting, and compressed', async () => {
  succeeded(simulate(log, path('two.ndjson'), '--seed 1 --threads 2'));
  expect(text('two.ndjson') === reports).toBe(true);

  const piped = simulate('-', '-', '--seed 1 --threads 2', readFileSync(small, 'utf8'));
  succeeded(piped);
  expect(piped.out === smallReports).toBe(true);

  const [whole, sorted] = isLong ? [log, reports] : [small, smallReports];
  const shuffled = readFileSync(whole, 'utf8')
    .trimEnd()
    .split('\n')
    .sort((a, b) => a.length - b.length);
  const compressed = file('shuffled.ndjson.gz', gzipSync(shuffled.join('\n')));
  succeeded(await simulateHere(compressed, path('sorted.ndjson.gz'), '--seed 1 --unsorted'));
  expect(gunzipSync(readFileSync(path('sorted.ndjson.gz'))).toString() === sorted).toBe(true);

  // Compressed by the command and read by it again.
  succeeded(run('generate', ['--users', String(FEW), '--seed', SEED, '--output', path('log.ndjson.zst')]));
  expect(readFileSync(path('log.ndjson.zst')).readUInt32LE()).toBe(0xfd2fb528);
  succeeded(simulate(path('log.ndjson.zst'), path('reports.ndjson.zst'), '--seed 1'));
  expect(readFileSync(path('reports.ndjson.zst')).readUInt32LE()).toBe(0xfd2fb528);
  const unpacked: string[] = [];
  for await (const lines of linesOf(new ByteSource(path('reports.ndjson.zst')).open()))
    unpacked.push(...lines.map(({ value }) => value));
  expect(`${unpacked.join('\n')}\n` === smallReports).toBe(true);
});

test('a log of one part is simulated without another thread, which would take longer to start', () => {
  const said = "process.on('worker', () => console.error('another thread'))";
  const env = { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(said)}` };
  const begin = (input: string): string =>
    spawnSync(process.execPath, [COMMAND, 'simulate', '--input', input, '--output', '-', '--seed', '1'], {
      env,
      encoding: 'utf8',
    }).stderr;
  expect(begin(log)).toContain('another thread');
  expect(begin(small)).not.toContain('another thread');
});

test('a matching is the same with more threads, and what it leaves without credit is counted', async () => {
  const settings = file(
    'matching.json',
    JSON.stringify({ attribution: { kind: 'exponential', epsilon: 1, unit: 'hours', tau: 1 } }),
  );
  // Two conversions for one click, after the rest.
  const last = (time: number, eligible: string, register: string, header: object): string =>
    JSON.stringify({
      user: 'zoe',
      timestamp: String(time),
      registration_request: {
        context_origin: 'https://shop.example',
        'Attribution-Reporting-Eligible': eligible,
      },
      responses: [
        {
          url: 'https://ads.example/',
          response: { [`Attribution-Reporting-Register-${register}`]: header },
        },
      ],
    });
  const input = file(
    'matched.ndjson',
    [
      ...long(isLong ? 60 : 10),
      last(1, 'navigation-source', 'Source', { destination: 'https://shop.example' }),
      last(2, 'trigger', 'Trigger', { event_trigger_data: [{}] }),
      last(3, 'trigger', 'Trigger', { event_trigger_data: [{}] }),
    ].join('\n'),
  );
  const options = `--seed 1 --settings ${settings} --summary ${path('matching-summary.json')}`;
  succeeded(await simulateHere(input, path('greedy.ndjson'), `${options} --matching greedy`));
  succeeded(simulate(input, path('greedy-2.ndjson'), `${options} --matching greedy --threads 2`));
  expect(text('greedy-2.ndjson') === text('greedy.ndjson')).toBe(true);
  succeeded(await simulateHere(input, path('laplace.ndjson'), `${options} --matching laplace`));
  expect(text('laplace.ndjson') === text('greedy.ndjson')).toBe(false);
  const summary = JSON.parse(text('matching-summary.json')) as Record<string, Record<string, number>>;
  expect(summary['triggers_dropped']?.['trigger-not-credited']).toBe(1);
});

test('what is said tells outputs that noise replaced from reports that gave way to others', () => {
  const tally = new OutcomeCounter();
  tally.add('noise', 'replaced', 2);
  tally.add('reports', 'delivered', 3);
  tally.add('reports', 'replaced', 4);
  expect(summaryLines({ users: 0, lines: 0, unmapped: 0, invalid: 0, repeated: 0, tally })).toEqual([
    'users 0, lines 0',
    'noise: output replaced by noise 2',
    'reports: delivered 3, replaced by another report 4',
  ]);
});

test('another seed, no seed and no noise make other reports', async () => {
  succeeded(await simulateHere(small, path('other.ndjson'), '--seed 2'));
  expect(text('other.ndjson') === smallReports).toBe(false);
  succeeded(await simulateHere(small, path('system.ndjson')));
  succeeded(await simulateHere(small, path('system-again.ndjson')));
  expect(text('system.ndjson') === text('system-again.ndjson')).toBe(false);
  expect(succeeded(await simulateHere(small, path('plain.ndjson'), '--no-noise'))).toMatch(
    /^noise: off \d+$/m,
  );
});

test('with users, each report says whose it is', async () => {
  succeeded(await simulateHere(small, path('users.ndjson'), '--seed 1 --with-users'));
  const users = text('users.ndjson')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { user: string }).user);
  expect(users.every((user) => /^user-\d{9}$/.test(user))).toBe(true);
  expect(users).toEqual([...users].sort());
  expect(text('users.ndjson').replace(/"user":"user-\d{9}",/g, '') === smallReports).toBe(true);
});

test('all sources can register another ε, which their reports state', async () => {
  const sources = path('epsilon-sources.ndjson');
  succeeded(
    await simulateHere(
      small,
      path('epsilon.ndjson'),
      `--seed 1 --source-epsilon 1.5 --sources-output ${sources}`,
    ),
  );
  const rows = text('epsilon-sources.ndjson')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { epsilon: number; registration: object });
  expect(new Set(rows.map(({ epsilon }) => epsilon))).toEqual(new Set([1.5]));
  expect(rows[0]?.registration).toMatchObject({ event_level_epsilon: 1.5 });
  expect(text('epsilon.ndjson').split('\n').length).toBeGreaterThan(smallReports.split('\n').length);
});

/** Kills the command once its checkpoint has a part of the log. */
async function killed(input: string, output: string, more: string): Promise<void> {
  const args = [COMMAND, 'simulate', '--input', input, '--output', output, ...more.split(' ')];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const checkpoint = `${output}.checkpoint`;
  const parts = (): number =>
    existsSync(checkpoint) ? (JSON.parse(readFileSync(checkpoint, 'utf8')) as { parts: number }).parts : 0;
  while (parts() < 1) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode} before it could be killed`);
    await pause(5);
  }
  child.kill('SIGKILL');
  await ended;
}

test.each([
  ['that is no JSON', 'log'],
  ['in which another user comes between the lines of one', '{"user":"a"}\n{"user":"b"}\n{"user":"a"}\n'],
])('a log %s is refused, and leaves no file', async (_, content) => {
  const input = file('refused.txt', content);
  const outputs = `--sources-output ${path('refused-sources.ndjson')} --summary ${path('refused.json')}`;
  const { code } = await simulateHere(input, path('refused.ndjson'), `--seed 1 ${outputs}`);
  expect(code).toBe(2);
  expect(readdirSync(folder).filter((name) => name.startsWith('refused'))).toEqual(['refused.txt']);
});

test('a run that was refused is not resumed by the output of an earlier one', async () => {
  const output = path('earlier.ndjson');
  const good = file('earlier-good.txt', readFileSync(small, 'utf8'));
  expect((await simulateHere(good, output, '--seed 1')).code).toBe(0);
  const earlier = readFileSync(output, 'utf8');
  expect((await simulateHere(file('earlier-bad.txt', 'log'), output, '--seed 1')).code).toBe(2);
  expect(readFileSync(output, 'utf8')).toBe(earlier);
  const resumed = await simulateHere(good, output, '--seed 2 --resume');
  expect(resumed.code === 0 && readFileSync(output, 'utf8') === earlier).toBe(false);
});

test('killed half-way and resumed, the output is the same', async () => {
  const logged = `--sources-output ${path('killed-sources.ndjson')}`;
  await killed(log, path('killed.ndjson.gz'), `--seed 1 --threads 2 ${logged}`);
  // What was under way at the kill. Under the final name there is nothing yet.
  expect(existsSync(path('killed.ndjson.gz'))).toBe(false);
  expect(existsSync(path('killed-sources.ndjson'))).toBe(false);
  writeFileSync(path('killed.ndjson.gz.unfinished'), 'half a report', { flag: 'a' });
  writeFileSync(path('killed-sources.ndjson.unfinished'), 'half a source', { flag: 'a' });
  const options = `--seed 1 --summary ${path('resumed.json')} ${logged}`;

  const otherSeed = await simulateHere(log, path('killed.ndjson.gz'), `--seed 2 --resume ${logged}`);
  expect(otherSeed.code).toBe(2);
  expect(otherSeed.err).toContain('killed.ndjson.gz.checkpoint: must be of the same options and settings');

  const otherLog = file(
    'other-log.ndjson',
    `${long(USERS - 1)
      .slice(1)
      .join('\n')}\n`,
  );
  const changed = await simulateHere(otherLog, path('killed.ndjson.gz'), `--seed 1 --resume ${logged}`);
  expect(changed.code).toBe(2);
  expect(changed.err).toContain('must begin with the log that');

  succeeded(await simulateHere(log, path('killed.ndjson.gz'), `${options} --resume`));
  expect(gunzipSync(readFileSync(path('killed.ndjson.gz'))).toString() === reports).toBe(true);
  expect(text('killed-sources.ndjson') === text('sources.ndjson')).toBe(true);
  expect(text('resumed.json')).toBe(text('summary.json'));
  expect(existsSync(path('killed.ndjson.gz.checkpoint'))).toBe(false);

  expect(succeeded(simulate(log, path('killed.ndjson.gz'), `${options} --resume`))).toContain(
    'is already complete',
  );
});

test('without a seed, resuming loses no user and none comes twice', async () => {
  await killed(log, path('unseeded.ndjson'), '--threads 2 --no-noise --with-users');
  succeeded(await simulateHere(log, path('unseeded.ndjson'), '--no-noise --with-users --resume'));
  succeeded(await simulateHere(log, path('whole.ndjson'), '--no-noise --with-users'));
  const withoutIds = (name: string): string => text(name).replace(/"report_id":"[^"]*"/g, '');
  expect(withoutIds('unseeded.ndjson') === withoutIds('whole.ndjson')).toBe(true);
});

const request = (user: string, timestamp: string): string =>
  JSON.stringify({
    user,
    timestamp,
    registration_request: { context_origin: 'https://a.example' },
    responses: [{ url: 'https://b.example', response: {} }],
  });

test.each<[string, string, string, string]>([
  ['no JSON', `${request('a', '1')}\n{`, '', 'line 2: must be JSON: line 2, column 2: '],
  [
    'no JSON after blank lines',
    `\n${request('a', '1')}\n\n{`,
    '',
    'line 4: must be JSON: line 4, column 2: ',
  ],
  [
    'no user',
    '{"timestamp":"1"}',
    '',
    'line 1: must be an object with a "user" that is a string and not empty',
  ],
  [
    'no time',
    '{"user":"a","timestamp":1}',
    '',
    'line 1: timestamp: must be a string with milliseconds since 1970, was 1',
  ],
  [
    'a mistake inside',
    `${request('a', '1')}\n${request('b', '1').replace('https://a', 'ftp://a')}`,
    '',
    'line 2: registration_request.context_origin: must be an origin with https',
  ],
  [
    'a user who comes again',
    [request('a', '1'), request('b', '1'), request('a', '2')].join('\n'),
    '',
    'line 3: user: must have all lines together, "a" had others before',
  ],
  [
    'time that goes back',
    `${request('a', '2')}\n${request('a', '1')}`,
    '',
    'line 2: timestamp: must be in the order of time: 1 comes after 2',
  ],
  [
    'an unsorted mistake',
    `${request('b', '1')}\n${request('a', '1').replace('https://a', 'ftp://a')}`,
    '--unsorted',
    'line 2: registration_request.context_origin',
  ],
])('%s is an error with its line', async (_, content, more, message) => {
  const { code, err } = await simulateHere(file('bad.ndjson', content), path('bad.out'), more);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^cointoss: [^\n]*\n$/) as string });
  expect(err).toContain(`bad.ndjson: ${message}`);
});

test.each<[string, string, string, string]>([
  ['a log that is not there', 'missing.ndjson', '', 'missing.ndjson: cannot be read: ENOENT'],
  ['threads', 'log.ndjson', '--threads 0', 'simulate: --threads'],
  ['a source ε', 'log.ndjson', '--source-epsilon 15', 'simulate: --source-epsilon: must be a number from 0'],
  ['an option of another command', 'log.ndjson', '--mechanism rr', "unknown option '--mechanism'"],
  ['options before the command', 'log.ndjson', 'compare', 'simulate: --input: must come after compare'],
  ['a CSV file without a mapping', 'log.ndjson', '--csv', 'simulate: --csv: must come with --map'],
  [
    'a policy without a budget',
    'log.ndjson',
    '--allocation per-count',
    'simulate: --settings: must have a budget.epsilon',
  ],
  [
    'a matching without a private attribution',
    'log.ndjson',
    '--matching laplace',
    'simulate: --settings: must have an attribution of kind "exponential" or "permute-and-flip"',
  ],
  ['a matching that there is not', 'log.ndjson', '--matching best', "'best' is invalid"],
  ['settings', 'log.ndjson', '--settings {settings}', 'settings.json: budget.cap: must be'],
  [
    'settings with a field too many',
    'log.ndjson',
    '--settings {misspelt}',
    'misspelt.json: budget.epsilonn: is not a known field',
  ],
  ['half a trial', 'log.ndjson', '--settings {half}', 'half.json: must have the field "id"'],
  ['a file that is cut off', 'cut.ndjson.gz', '', 'cut.ndjson.gz: cannot be read: unexpected end of file'],
  [
    'a frame that is cut off',
    'cut.ndjson.zst',
    '',
    'cut.ndjson.zst: cannot be read: unexpected end of the file',
  ],
])('%s: an error in one line', async (_, input, more, message) => {
  const settings = file('settings.json', '{"budget": {"cap": "many"}}');
  const misspelt = file('misspelt.json', '{"budget": {"epsilonn": 1}}');
  const half = file('half.json', '{"settings": {}}');
  file('cut.ndjson.gz', gzipSync(request('a', '1')).subarray(0, -9));
  file('cut.ndjson.zst', Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x04));
  const { code, err } = await simulateHere(
    path(input),
    path('bad.out'),
    more.replace('{settings}', settings).replace('{misspelt}', misspelt).replace('{half}', half),
  );
  expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^cointoss: [^\n]*\n$/) as string });
  expect(err).toContain(message);
});

test('blank lines are no events', async () => {
  const [first, second] = [request('a', '1'), request('a', '2')];
  const rows = (end: string): string => `who,when${end}a,1${end}a,2${end}`;
  const map = file(
    'blank.map.json',
    JSON.stringify({
      user: 'who',
      events: [{ time: 'when', event: { navigation: true } }],
    }),
  );
  for (const [name, content, more] of [
    ['blank.ndjson', `${first}\n\n \r\n${second}\n\n`, ''],
    ['blank.csv', `${rows('\n')}\n\n`, `--csv --map ${map}`],
  ] as const) {
    const { err } = await simulateHere(file(name, content), path('blank.out'), more);
    expect(err).toContain('users 1, lines 2\n');
  }
});

test('a log without events is said to have none, but not a shard without users', async () => {
  const { code, err } = await simulateHere(file('empty.ndjson', '\n'), path('empty.out'), '');
  expect([code, err]).toEqual([0, expect.stringContaining('empty.ndjson: has no rows; expected events\n')]);
  const one = file('one.ndjson', request('a', '1'));
  for (const shard of ['0/2', '1/2']) {
    const { code: ended, err: said } = await simulateHere(one, path('part.out'), `--seed 1 --shard ${shard}`);
    expect({ code: ended, err: said }).toEqual({
      code: 0,
      err: expect.not.stringContaining('no rows') as string,
    });
  }
});

test('the settings of a trial are those in force while somebody takes part', () => {
  const trial = JSON.parse(readFileSync(TRIAL, 'utf8')) as { settings: object };
  // Not Chromium's delivery, which is the default of settings by themselves.
  const budget = { unit: 'user-publisher', epsilon: 3, cap: 2, joint: jointly(6) };
  trial.settings = { budget };
  const planned = (name: string, content: object): Settings =>
    planOf({
      input: [log],
      output: '-',
      noise: true,
      allocation: 'per-cap',
      priorSplit: 'people',
      settings: file(name, JSON.stringify(content)),
    }).setup.settings;
  const parsed = planned('trial.json', trial);
  expect(parsed).toMatchObject({ deliveryProfile: 'lossless', budget: { epsilon: 3, cap: 2 } });
  expect(planned('alone.json', trial.settings)).toEqual({ ...parsed, deliveryProfile: 'chrome' });
});

describe('what is read is not written over', () => {
  beforeEach(() => {
    for (const name of readdirSync(folder)) if (name.startsWith('same')) rmSync(path(name));
    file('same.ndjson', request('a', '1'));
    symlinkSync(path('same.ndjson'), path('same-link'));
    linkSync(path('same.ndjson'), path('same-hard-link'));
    file('same-settings.json', '{}');
  });

  test.each<[string, string, string, string]>([
    ['the input', 'same.ndjson', '', 'same.ndjson: must not be the input'],
    ['another name of the input', './same.ndjson', '', 'same.ndjson: must not be the input'],
    ['a link to the input', 'same-link', '', 'same-link: must not be the input'],
    ['a hard link to the input', 'same-hard-link', '', 'same-hard-link: must not be the input'],
    ['the settings', 'same-settings.json', '', 'same-settings.json: must not be the settings'],
    ['the summary', 'same-new', '--summary {}/./same-new', 'same-new: must not be the output'],
    ['a summary', 'same-new', '--summary {}/same-link', 'same-link: must not be the input'],
    ['a source log', 'same-new', '--sources-output {}/same-link', 'same-link: must not be the input'],
    ['the source log', 'same-new', '--sources-output {}/same-new', 'same-new: must not be the output'],
    [
      'a summary',
      'same-new',
      '--summary {}/same-settings.json',
      'same-settings.json: must not be the settings',
    ],
    [
      'a summary without a folder',
      'same-old',
      '--summary {}/none/summary',
      'none/summary: cannot be written: ',
    ],
  ])('%s as output: exit code 2, and every file as it was', async (_, output, more, message) => {
    if (output === 'same-old') file('same-old', 'an earlier output');
    const files = (): Record<string, string> =>
      Object.fromEntries(
        readdirSync(folder).flatMap((name) => (name.startsWith('same') ? [[name, text(name)]] : [])),
      );
    const before = files();
    const { code, err } = await simulateHere(
      path('same.ndjson'),
      `${folder}/${output}`,
      `--settings ${path('same-settings.json')} ${more.replace('{}', folder)}`,
    );
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^cointoss: [^\n]*\n$/) as string });
    expect(err).toContain(message);
    expect(files()).toEqual(before);
  });

  test('through standard input neither', () => {
    const { status, stderr } = spawnSync('sh', [
      '-c',
      '"$0" "$1" simulate --input - --output "$2" <"$2"',
      process.execPath,
      COMMAND,
      path('same.ndjson'),
    ]);
    expect({ status, err: String(stderr) }).toMatchObject({ status: 2 });
    expect(String(stderr)).toContain('must not be the input as well');
    expect(text('same.ndjson')).toBe(request('a', '1'));
  });
});
