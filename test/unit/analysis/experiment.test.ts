import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Ajv from 'ajv';
import { version } from '../../../package.json';
import { apiProblem } from '../../../analysis/experiment/api';
import { compareExperiment } from '../../../analysis/experiment/compare-example';
import { creditMoved, levelErrors } from '../../../analysis/experiment/errors';
import { exampleExperiment } from '../../../analysis/experiment/example';
import { experimentSchema, parseExperiment } from '../../../analysis/experiment/experiment';
import { withField } from '../../../analysis/experiment/fields-at';
import { cellsOf } from '../../../analysis/experiment/grid';
import { GroupSums } from '../../../analysis/experiment/group-sums';
import type { GroupResult } from '../../../analysis/experiment/result';
import { reasonText } from '../../../analysis/experiment/same-results';
import { readJson } from '../../../cli/io/input';
import { main } from '../../../cli/main';
import type { Json, JsonObject } from '../../../src/model/json';
import { defaultSettings } from '../../../formats/settings/settings';
import { parseSettings } from '../../../formats/settings/parse-settings';
import { seededRandomSource } from '../../../analysis/random/sources';
import { Rational } from '../../../src/privacy/rational';
import { useCommands } from '../helpers/command';
import { isLong } from '../helpers/is-long';
import { accepted, expectRefused } from '../helpers/parsing';

const ROOT = path.join(__dirname, '../../..');
const EXPERIMENTS = path.join(ROOT, 'scenarios/experiments');
const RESULTS = ['results.csv', 'results.ndjson', 'results.parquet', 'report.html', 'manifest.json'];

const { err: said } = useCommands();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cointoss-experiment-'));
  writeFileSync(path.join(folder, 'log.ndjson'), linesOf(events));
});

afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: Json): string {
  writeFileSync(path.join(folder, name), JSON.stringify(content));
  return path.join(folder, name);
}

const linesOf = (rows: readonly Json[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const small: JsonObject = {
  repetitions: 3,
  data: { input: ['log.ndjson'] },
  grid: {
    'source.event_level_epsilon': [2, 14],
    'settings.attribution': [
      { kind: 'last-touch' },
      { kind: 'exponential', epsilon: 0.1, unit: 'hours', tau: 1 },
    ],
  },
  measure: { levels: [[], ['format']] },
};

/** Each user sees three campaigns of a shop, and buys. */
const events = Array.from({ length: 15 }, (_, user) => {
  const line = (hour: number, context: string, eligible: string, response: JsonObject): JsonObject => ({
    user: `user ${user}`,
    timestamp: String(hour * 3_600_000),
    registration_request: { context_origin: context, 'Attribution-Reporting-Eligible': eligible },
    responses: [{ url: 'https://ads.example/', response }],
  });
  const impression = (campaign: number): JsonObject =>
    line(campaign, 'https://news.example', 'navigation-source', {
      'Attribution-Reporting-Register-Source': {
        source_event_id: String(user * 3 + campaign),
        destination: 'https://shop.example',
        filter_data: { format: [`format ${campaign}`] },
      },
    });
  const conversion = { 'Attribution-Reporting-Register-Trigger': { event_trigger_data: [{}] } };
  return [
    impression(0),
    impression(1),
    impression(2),
    line(3, 'https://shop.example', 'trigger', conversion),
  ];
}).flat();

interface Run {
  readonly code: number | null;
  readonly err: string;
}

/** In this process, which is faster. */
async function run(...args: readonly string[]): Promise<Run> {
  said.length = 0;
  const code = await main(['experiment', ...args]);
  return { code, err: said.join('') };
}

/** As people run it: Jest has errors of its own, so that those of a thread are of another class here. */
function runApart(...args: readonly string[]): Run {
  const { status, stderr } = spawnSync(process.execPath, ['cli/cointoss.mjs', 'experiment', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return { code: status, err: stderr };
}

/** Starts an experiment, and kills it in the middle. */
async function runAndDie(experiment: string, output: string): Promise<void> {
  const journal = path.join(output, 'results.unfinished');
  const finished = (): number =>
    existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').length - 2 : 0;
  const args = ['cli/cointoss.mjs', 'experiment', experiment, '--output', output, '--threads', '1'];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'ignore' });
  while (finished() < 3) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode} before it could be killed`);
    await pause(5);
  }
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(readdirSync(output).sort()).toEqual(['log.ndjson', 'results.unfinished']);
  // As if the kill had cut the last line.
  writeFileSync(journal, readFileSync(journal, 'utf8').slice(0, -5));
}

test('any number of threads, and a killed and resumed run, give the same bytes', async () => {
  const given = { ...small, seed: 'bytes' };
  const experiment = file('small.json', given);
  const [whole, killed] = ['whole', 'killed'].map((name) => path.join(folder, name)) as [string, string];
  const { code, err } = await run(experiment, '--output', whole, '--threads', '2');
  expect({ code, err }).toMatchObject({ code: 0 });
  // 2 · 2 cells with truth, 3 noisy runs, and credit as often where the attribution draws.
  expect(err).toMatch(
    /^cointoss: 4 cells \(2 source\.event_level_epsilon × 2 settings\.attribution\), 3 repetitions; 24 runs of 15 users with \d+ events; up to \d+ \w+ of processor time, in 2 threads\n/,
  );
  await runAndDie(experiment, killed);
  expect(await run(experiment, '--output', killed, '--threads', '1', '--resume')).toMatchObject({ code: 0 });
  expect(readdirSync(killed).sort()).toEqual([...RESULTS].sort());
  for (const name of RESULTS)
    expect(readFileSync(path.join(killed, name)).equals(readFileSync(path.join(whole, name)))).toBe(true);
  expect((await run(experiment, '--output', killed, '--resume')).err).toContain('already complete');

  const parts: string[] = [];
  for (const shard of ['0/2', '1/2']) {
    const part = path.join(folder, `part ${shard[0] ?? ''}`);
    expect(await run(experiment, '--output', part, '--threads', '1', '--shard', shard)).toEqual({
      code: 0,
      err: expect.stringContaining('of 24 runs are finished') as string,
    });
    expect(readdirSync(part)).toEqual(['results.unfinished']);
    parts.push(path.join(part, 'results.unfinished'));
  }
  const joined = path.join(folder, 'joined');
  // All runs are in the parts, so no cell is tried.
  const { err: saidOfJoin } = await run(experiment, '--output', joined, '--join', ...parts);
  expect(saidOfJoin).toMatch(/^cointoss: the report is .*\n$/);
  for (const name of RESULTS)
    expect(readFileSync(path.join(joined, name)).equals(readFileSync(path.join(whole, name)))).toBe(true);
  // A part keeps what is joined to it, and is left to be joined even if it has all.
  const [grown = ''] = parts;
  const withShard = await run(
    experiment,
    ...['--output', path.dirname(grown), '--shard', '0/2', '--join', ...parts],
  );
  expect(withShard.err).toContain('24 of 24 runs are finished');
  expect(readFileSync(grown, 'utf8').trimEnd().split('\n')).toHaveLength(1 + 24);
  const other = file('other.json', { ...given, seed: 'other' });
  expectRefusal(
    await run(other, '--output', path.join(folder, 'bad'), '--join', ...parts),
    'must be of the same experiment',
  );
  expectRefusal(
    await run(experiment, '--output', path.join(folder, 'bad'), '--join', 'none'),
    'none: cannot be read',
  );

  const rows = readFileSync(path.join(whole, 'results.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, Json>);
  const valueOf = (cell: number, measure: string, level: string): number => {
    const found = rows.filter(
      (row) =>
        row['cell'] === cell &&
        row['measure'] === measure &&
        row['level'] === level &&
        row['group'] === null &&
        (row['quantity'] === 'conversions' || row['quantity'] === ''),
    );
    expect(found).toHaveLength(1);
    return Number(found[0]?.['value']);
  };
  // More ε, smaller errors; a private attribution moves credit, the last touch none.
  expect(valueOf(2, 'rmse', 'all')).toBeLessThan(valueOf(0, 'rmse', 'all'));
  expect(valueOf(0, 'credit_moved', 'format')).toBe(0);
  expect(valueOf(1, 'credit_moved', 'format')).toBeGreaterThan(0);
  expect(valueOf(0, 'spent_mean', '')).toBe(2);
  expect(valueOf(2, 'spent_mean', '')).toBe(14);
  const page = readFileSync(path.join(whole, 'report.html'), 'utf8');
  expect(page).not.toMatch(/NaN|undefined|Infinity|(src|href)=(?!"data:,")/);

  const results = RESULTS.filter((name) => name !== 'manifest.json');
  const users = Array.from({ length: 15 }, (_, user) => `user ${user}`).sort();
  const log = users.flatMap((name) => events.filter(({ user }) => user === name));
  expect(readJson(path.join(whole, 'manifest.json'))).toEqual({
    cointoss: version,
    node: process.versions.node,
    experiment: given,
    seed: 'bytes',
    repetitions: [0, 1, 2],
    data: { users: 15, events: events.length, sha256: sha256(linesOf(log)) },
    results: Object.fromEntries(results.map((name) => [name, sha256(readFileSync(path.join(whole, name)))])),
  });
});

test('a mechanism for which no source qualifies is no tie', async () => {
  // All sources have three report windows, which these mechanisms do not take.
  const [values, prior] = [
    [0, 1, 2],
    [0.5, 0.3, 0.2],
  ];
  const labelNoise = [
    { kind: 'rr' },
    { kind: 'rr-on-bins', values, prior, loss: 'squared' },
    { kind: 'unbiased', values, prior },
  ];
  const experiment = file('tie.json', {
    ...small,
    repetitions: 2,
    grid: { 'settings.labelNoise': labelNoise, 'settings.budget.epsilon': [1000] },
  });
  const output = path.join(folder, 'tie');
  const { code, err } = await run(experiment, '--output', output, '--threads', '1');
  expect(code).toBe(2);
  expect(err).toContain('2 of 3 cells show no difference because nothing differed');
  expect(err).toMatch(
    /Cell 1 .*settings\.labelNoise had no effect: 45 sources: rr instead: it has more than one/,
  );
  const rows = readFileSync(path.join(output, 'results.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, Json>);
  const of = (measure: string): (Json | undefined)[][] =>
    rows
      .filter((row) => row['measure'] === measure && row['level'] !== 'format')
      .map((row) => [row['cell'], row['value'], row['difference']]);
  expect(of('same_as')).toEqual([
    [1, 0, null],
    [2, 0, null],
  ]);
  expect(of('fallback')).toEqual([
    [1, 100, null],
    [2, 100, null],
  ]);
  for (const [cell, , difference] of of('rmse')) expect([cell, difference]).toEqual([cell, null]);
  expect(readFileSync(path.join(output, 'report.html'), 'utf8')).toContain('<strong>No effect.</strong>');
  expect(await run(experiment, '--output', output, '--threads', '1', '--allow-no-effect')).toMatchObject({
    code: 0,
  });
});

test('a cell without effect names the limits that nothing reached, and only those of what varied', () => {
  const same = { cell: 1, as: 0, axes: ['settings.budget.cap'], fallbacks: [] };
  const unreached = ['attribution', 'budget.epsilon', 'budget.cap'] as const;
  expect(reasonText({ ...same, unreached })).toBe(
    'no source got less ε than it registered; no unit had more impressions than the cap',
  );
  expect(reasonText({ ...same, axes: ['allocation'], unreached: ['budget.cap'] })).toBe(
    'no unit had more impressions than the cap',
  );
  expect(reasonText({ ...same, unreached: [] })).toBe('');
});

test('event-level reports, summary reports and W3C Attribution, from the same log', async () => {
  const budget = { unit: 'user-advertiser', period: 7, epsilon: 14, cap: 3 };
  const experiment = file('apis.json', {
    ...small,
    settings: { budget },
    grid: {
      api: [{ kind: 'event-level' }, { kind: 'summary' }, { kind: 'w3c', conversions: 2 }],
      'source.max_event_level_reports': [1],
    },
  });
  const outputOf = async (threads: number): Promise<string> => {
    const output = path.join(folder, `apis ${threads}`);
    const { code } = await run(experiment, '--output', output, '--threads', String(threads));
    expect(code).toBe(0);
    return output;
  };
  const output = await outputOf(1);
  const manifest = path.join(output, 'manifest.json');
  // In `npm test`, the test above has other numbers of threads, with one API.
  if (isLong)
    expect(readFileSync(path.join(await outputOf(2), 'manifest.json')).equals(readFileSync(manifest))).toBe(
      true,
    );

  const rows = readFileSync(path.join(output, 'results.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, Json>);
  const valuesOf = (measure: string, group: string | null): readonly Json[] =>
    rows
      .filter((row) => row['measure'] === measure && row['group'] === group && row['level'] !== 'all')
      .map(({ value = null }) => value);
  // The last click of each of the 15 people gets the conversion, in all cells.
  expect(valuesOf('truth', 'format 2')).toEqual([15, 15, 15]);
  expect(valuesOf('truth', 'format 0')).toEqual([0, 0, 0]);
  // 14/3 for each of three clicks; W3C Attribution spends what one of two conversions asks for.
  for (const measure of ['spent_mean', 'spent_most']) {
    const [eventLevel, summary, w3c] = valuesOf(measure, null);
    expect([Number(eventLevel), Number(summary), w3c]).toEqual([expect.closeTo(14), expect.closeTo(14), 7]);
  }
  // The three means have a standard deviation of at most 0.3, 0.2 and 0.1 conversions.
  for (const bias of valuesOf('bias', 'format 2')) expect(Math.abs(Number(bias))).toBeLessThan(3);
  const lost = rows.filter(({ measure }) => measure === 'lost');
  expect(lost).toEqual([]);
});

function expectRefusal({ code, err }: Run, message: string): void {
  expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^cointoss: [^\n]*\n$/) as string });
  expect(err).toContain(message);
  expect(existsSync(path.join(folder, 'bad', 'manifest.json'))).toBe(false);
}

test.each<[string, JsonObject, string]>([
  [
    'an API',
    { ...small, grid: { api: [{ kind: 'event-level', conversions: 2 }] } },
    'grid.api.conversions: is not a known field',
  ],
  [
    'an API without a budget',
    { ...small, grid: { api: [{ kind: 'summary' }] } },
    'grid: api {"kind":"summary"}: must have a settings.budget.epsilon',
  ],
  ['a field', { ...small, repetition: 3 }, 'repetition: is not a known field'],
  ['an axis', { ...small, grid: { 'sources.epsilon': [1] } }, 'grid.sources.epsilon: is not a known field'],
  [
    'a field of registrations',
    { ...small, grid: { 'source.event_level_epsilom': [1, 2] } },
    'grid.source.event_level_epsilom: is not a known field',
  ],
  [
    'a field within one',
    { ...small, grid: { 'navigation_source.event_report_windows.ends': [[86_400]] } },
    'grid.navigation_source.event_report_windows.ends: is not a known field',
  ],
  [
    'a setting of the grid',
    { ...small, grid: { 'settings.budget.epsilonn': [1] } },
    'grid.settings.budget.epsilonn: is not a known field',
  ],
  ['a setting', { ...small, settings: { budgets: {} } }, 'settings.budgets: is not a known field'],
  [
    'a value of the grid',
    { ...small, grid: { allocation: ['per-user'] } },
    'grid.allocation: must be "per-cap" or "per-count" or "random-cap", was "per-user"',
  ],
  [
    'settings that do not fit',
    { ...small, grid: { matching: ['greedy'] } },
    'grid: matching "greedy": must have an attribution of kind',
  ],
  [
    'a registration',
    { ...small, grid: { 'source.event_level_epsilon': [1, 99] } },
    'source.event_level_epsilon = 99: no source is valid: event_level_epsilon: must be',
  ],
  ['data', { ...small, data: { input: ['none.ndjson'] } }, 'none.ndjson: cannot be read: '],
])('%s that cannot be: exit code 2 and one line that names the place', async (_, content, message) => {
  expectRefusal(await run(file('bad.json', content), '--output', path.join(folder, 'bad')), message);
});

test.each<[string, JsonObject, string]>([
  [
    'an API with a column that is no filter data',
    {
      ...small,
      settings: { budget: { epsilon: 1 } },
      grid: { api: [{ kind: 'summary' }] },
      measure: { levels: [['destination']] },
    },
    'must be keys of filter data or source_type where there is an api, none has "destination"',
  ],
  ['a column', { ...small, measure: { levels: [['shop']] } }, 'must be columns of sources, none has "shop"'],
])('%s that only the log shows: exit code 2 and one line', (_, content, message) => {
  expectRefusal(runApart(file('bad.json', content), '--output', path.join(folder, 'bad')), message);
});

describe('the schema', () => {
  const check = new Ajv({ strict: false }).compile(experimentSchema);
  const worked = readdirSync(EXPERIMENTS);

  test.each(['the example', 'the comparison', ...worked])('takes what the command takes: %s', (name) => {
    const examples: Readonly<Record<string, Json>> = {
      'the example': exampleExperiment,
      'the comparison': compareExperiment,
    };
    const document = examples[name] ?? readJson(path.join(EXPERIMENTS, name));
    check(document);
    expect(check.errors ?? []).toEqual([]);
    accepted(parseExperiment(document));
  });

  test.each<[JsonObject, string, string]>([
    [{ title: 1 }, 'title', 'must be a string'],
    [{ repetitions: 1 }, 'repetitions', 'must be an integer from 2 to 100000'],
    [{ users: 5 }, 'users', 'is not a known field'],
    [{ data: { users: 5, demo: 1 } }, 'data.demo', 'must be true or false'],
    [{ grid: { 'source.expiry': [] } }, 'grid.source.expiry', 'must have at least 1 item, has 0'],
    [{ measure: { level: 0.9 } }, 'measure.level', 'is not a known field'],
  ])('refuses what the command refuses: %j', (document, place, message) => {
    expect(check(document)).toBe(false);
    expectRefused(parseExperiment(document), place, message);
  });

  test.each<[JsonObject, boolean]>([
    [{ settings: { attribution: { kind: 'time-decay', halfLife: 60 } } }, true],
    [{ settings: { attribution: { kind: 'none such' } } }, false],
    [{ grid: { 'settings.attribution.kind': ['linear', 'exponential'] } }, true],
    [{ grid: { 'settings.attribution.kind': ['none such'] } }, false],
    [{ grid: { 'settings.budget.epsilon': [null, 1] } }, true],
    [{ grid: { 'settings.budget.epsilon': [0] } }, false],
    [{ grid: { matching: ['joint', null] } }, true],
    [{ grid: { matching: ['none such'] } }, false],
  ])('knows the settings and options: %j', (document, expected) => {
    expect(check(document)).toBe(expected);
  });
});

test.each<[string, JsonObject, string | null]>([
  ['W3C Attribution fits', {}, null],
  [
    'another unit',
    { budget: { unit: 'user', period: 7, epsilon: 1, cap: 1 } },
    'of the unit user-advertiser',
  ],
  ['another period', { budget: { unit: 'user-advertiser', period: 30, epsilon: 1, cap: 1 } }, '7 days'],
  ['another attribution', { attribution: { kind: 'first-touch' } }, 'of kind priority'],
])('what W3C Attribution can be compared with: %s', (_, given, problem) => {
  const budget = { unit: 'user-advertiser', period: 7, epsilon: 1, cap: 1 };
  const settings = accepted(parseSettings({ budget, ...given }, defaultSettings));
  const w3c = { kind: 'w3c', conversions: 1 } as const;
  const mixed = { kind: 'mixed', browsers: [{ share: 0.5, api: w3c }] } as const;
  for (const api of [w3c, mixed]) {
    const found = apiProblem(api, settings, 1);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toContain(problem);
  }
});

test('label sums: each conversion contributes at least 1 in each level', () => {
  const budget = { unit: 'user-advertiser', period: 7, epsilon: 1, cap: 1 };
  const settings = accepted(parseSettings({ budget }, defaultSettings));
  const sums = (conversions: number) => ({ kind: 'label-sums', conversions }) as const;
  const mixed = { kind: 'mixed', browsers: [{ share: 0.5, api: sums(21_846) }] } as const;
  expect(apiProblem(sums(21_845), settings, 3)).toBeNull();
  expect(apiProblem(sums(65_536), settings, 1)).toBeNull();
  for (const api of [sums(21_846), mixed])
    expect(apiProblem(api, settings, 3)).toBe(
      'must have at most 21845 conversions with api "label-sums" and 3 levels in measure.levels, which share a contribution of 65536, had 21846',
    );
});

test('attribution sets need no ε', () => {
  const settings = accepted(parseSettings({}, defaultSettings));
  expect(settings.budget.epsilon).toBeNull();
  expect(apiProblem({ kind: 'attribution-sets', size: 2, order: 'random' }, settings, 1)).toBeNull();
});

test('sums of buckets: unbiased, and intervals that hold the truth as often as they say', () => {
  const buckets = Array.from({ length: 4000 }, (_, index) => String(index));
  const sums = new GroupSums(new Map(buckets.map((name) => [name, [name, String(Number(name) % 500)]])));
  for (const name of buckets) sums.add(name, 70);
  sums.add('nobody expects this', 1000);
  const noise = { scale: Rational.of(400n), random: seededRandomSource('sums of buckets', 0) };
  const levels = { columns: ['bucket', 'slice'], levels: [['bucket'], ['slice'], []], confidence: 0.95 };
  expect(sums.results(levels, 7, null).map(({ estimate }) => estimate)).toEqual([
    ...buckets.map(() => 10),
    ...Array.from({ length: 500 }, () => 80),
    40_000,
  ]);
  const results = sums.results(levels, 7, noise);
  for (const [level, truth, count] of [
    [0, 10, 4000],
    [1, 80, 500],
  ] as const) {
    const found = results.filter((result) => result.level === level);
    expect(found).toHaveLength(count);
    const covered = found.filter(({ low, high }) => (low ?? NaN) <= truth && truth <= (high ?? NaN)).length;
    // Five standard deviations of a binomial number: P < 1e-6.
    expect(Math.abs(covered / count - 0.95)).toBeLessThan(5 * Math.sqrt((0.95 * 0.05) / count));
  }
  const [total] = results.filter(({ level }) => level === 2);
  // The noise of the total has a standard deviation of √(2·4000)·400/7: five of them.
  expect(Math.abs((total?.estimate ?? 0) - 40_000)).toBeLessThan(5 * Math.sqrt(8000) * (400 / 7));
});

test('cells set fields in settings and registrations', () => {
  expect(withField({ a: { b: 1 }, c: 2 }, 'a.d', 3)).toEqual({ a: { b: 1, d: 3 }, c: 2 });
  expect(withField({ a: { b: 1 } }, 'a.b', null)).toEqual({ a: {} });
  const { grid, settings } = accepted(
    parseExperiment({
      settings: { budget: { period: 1 } },
      grid: {
        'settings.budget.unit': ['user', 'impression'],
        'event_source.expiry': [1],
        'source.priority': ['2'],
      },
    }),
  );
  expect(
    cellsOf(settings, grid).map((cell) => [
      cell.settings,
      [...cell.source.event],
      [...cell.source.navigation],
    ]),
  ).toEqual(
    ['user', 'impression'].map((unit) => [
      { budget: { period: 1, unit } },
      [
        ['expiry', 1],
        ['priority', '2'],
      ],
      [['priority', '2']],
    ]),
  );
});

const groups = (...found: readonly (readonly [string, number, number, number])[]): Map<string, GroupResult> =>
  new Map(
    found.map(([group, observed, low, high]) => [
      group,
      {
        level: 0,
        group: [group],
        quantity: 'conversions',
        observed,
        estimate: (low + high) / 2,
        low,
        high,
        variance: 0,
      },
    ]),
  );

test('errors, coverage and known groups, worked out by hand', () => {
  const truth = groups(['a', 100, 0, 0], ['b', 20, 0, 0]);
  // Estimates 104 ± 6 and 10 ± 4; a third group, of noise alone, 6 ± 2.
  const estimates = groups(['a', 0, 98, 110], ['b', 0, 6, 14], ['c', 0, 4, 8]);
  const errors = levelErrors(truth, estimates, 0.1);
  expect(errors.bias).toBeCloseTo(0);
  expect(errors.rmse).toBeCloseTo(Math.sqrt((16 + 100 + 36) / 3));
  expect(errors.relativeRmse).toBeCloseTo((100 * errors.rmse) / 40);
  expect(errors.coverage).toBeCloseTo(100 / 3);
  expect(errors.width).toBeCloseTo((100 * (12 + 8 + 4)) / 3 / 40);
  expect(errors.known).toBeCloseTo(100 / 3);
});

test('a group with a narrow interval elsewhere, or without an estimate, is not known', () => {
  const truth = groups(['near', 100, 0, 0], ['far', 100, 0, 0], ['none', 100, 0, 0]);
  const errors = levelErrors(truth, groups(['near', 0, 98, 102], ['far', 0, 50, 52]), 0.1);
  expect(errors.coverage).toBeCloseTo(100 / 3);
  expect(errors.known).toBeCloseTo(100 / 3);
});

test('moved credit is the part of all that others have', () => {
  const before = groups(['a', 60, 0, 0], ['b', 40, 0, 0]);
  expect(creditMoved(before, before)).toBe(0);
  expect(creditMoved(groups(['a', 15, 0, 0], ['c', 15, 0, 0]), before)).toBeCloseTo(50);
});
