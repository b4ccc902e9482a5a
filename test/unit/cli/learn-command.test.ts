import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { main } from '../../../cli/main';
import { useCommands } from '../helpers/command';
import { isLong } from '../helpers/is-long';

/* The command as people run it, threads and all. */

const COMMAND = path.join(__dirname, '../../../cli/cointoss.mjs');
const { out: printed, err: said } = useCommands();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cointoss-learn-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

const small = {
  users: isLong ? 1500 : 300,
  seeds: 2,
  figures: [
    {
      title: 'Units & "caps"',
      line: 'unit',
      methods: ['rr'],
      units: ['impression', 'user'],
      caps: [1, 2],
      epsilons: [1, 4],
    },
    { title: 'Methods', methods: ['dp-sgd', 'hybrid'], features: 'known', epsilons: [2] },
  ],
};

function experimentFile(name: string, experiment: unknown): string {
  const file = path.join(folder, name);
  writeFileSync(file, JSON.stringify(experiment));
  return file;
}

const learn = (
  ...args: readonly string[]
): { readonly code: number | null; readonly out: string; readonly err: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, 'learn', ...args], {
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
};

/** In this process, which is faster: for what ends before threads start. */
async function learnHere(...args: readonly string[]): Promise<ReturnType<typeof learn>> {
  printed.length = 0;
  said.length = 0;
  const code = await main(['learn', ...args]);
  return { code, out: printed.join(''), err: said.join('') };
}

/** Jest cannot load the package, which is a module. */
function parquetRows(file: string): unknown {
  const program = `
    import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
    console.log(JSON.stringify(await parquetReadObjects({ file: await asyncBufferFromFile(process.argv[1]) })));`;
  const cwd = path.join(__dirname, '../../..');
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', program, file], { cwd, encoding: 'utf8' }),
  );
}

/** Starts an experiment, and kills it in the middle. @returns how many trainings it had finished. */
async function learnAndDie(experiment: string, output: string): Promise<number> {
  const journal = path.join(output, 'results.unfinished');
  const finished = (): number =>
    existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').length - 2 : 0;
  const args = ['learn', '--experiment', experiment, '--output', output, '--threads', '1'];
  const child = spawn(process.execPath, [COMMAND, ...args]);
  while (finished() < 3) await pause(10);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(existsSync(path.join(output, 'results.csv'))).toBe(false);
  // As if the kill had cut the last line.
  writeFileSync(journal, readFileSync(journal, 'utf8').slice(0, -5));
  return finished();
}

const RESULTS = ['results.csv', 'results.ndjson', 'results.parquet', 'report.html'];

function expectSameResults(one: string, other: string): void {
  for (const name of RESULTS)
    expect(readFileSync(path.join(one, name)).equals(readFileSync(path.join(other, name)))).toBe(true);
}

/** Clears the line of a terminal. */
const CLEARED = '\r\u001b[K';

test('a figure is printed as soon as its trainings are done', async () => {
  const [experiment, output] = [experimentFile('figures.json', small), path.join(folder, 'figures')];
  const finished: number[] = [];
  const shown: string[] = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    if (text === CLEARED) shown.push(text);
    return true;
  });
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    const journal = path.join(output, 'results.unfinished');
    if (String(text).startsWith('Methods'))
      finished.push(readFileSync(journal, 'utf8').split('\n').length - 2);
    shown.push(String(text));
    return true;
  });
  const args = ['--experiment', experiment, '--output', output, '--threads', '1'];
  // As at a terminal, where the progress stands in the line.
  const { isTTY } = process.stderr;
  process.stderr.isTTY = true;
  const code = await main(['learn', ...args]);
  process.stderr.isTTY = isTTY;
  expect(code).toBe(0);
  const figures = readFileSync(path.join(output, 'results.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly figure: string }).figure);
  expect(finished[0]).toBeLessThan(figures.length);
  expect(shown.slice(0, 2)).toEqual([CLEARED, 'Methods\n']);
  // In the order of the experiment, whichever is done first.
  expect([...new Set(figures)]).toEqual(['baseline', ...small.figures.map(({ title }) => title)]);
});

test('a killed grid resumes to the identical table', async () => {
  const experiment = experimentFile('small.json', small);
  const [whole, killed] = [path.join(folder, 'whole'), path.join(folder, 'killed')];
  const { code, out } = learn('--experiment', experiment, '--output', whole);
  expect(code).toBe(0);
  expect(out).toContain('hybrid');

  expect(await learnAndDie(experiment, killed)).toBeGreaterThan(0);
  expect(learn('--experiment', experiment, '--output', killed, '--resume')).toMatchObject({ code: 0, out });
  expectSameResults(killed, whole);
  expect(existsSync(path.join(killed, 'results.unfinished'))).toBe(false);
  expect((await learnHere('--experiment', experiment, '--output', killed, '--resume')).err).toContain(
    'already complete',
  );

  const rows = readFileSync(path.join(whole, 'results.ndjson'), 'utf8').trim().split('\n');
  // 2 baselines, (1 + 2) · 2 points by unit, 2 by method, with 2 seeds each.
  expect(rows).toHaveLength(2 + 12 + 4);
  expect(parquetRows(path.join(whole, 'results.parquet'))).toEqual(
    rows.map((row) => JSON.parse(row) as unknown),
  );
  const page = readFileSync(path.join(whole, 'report.html'), 'utf8');
  expect(page).toContain('Units &#38; &#34;caps&#34;');
  expect(page).not.toMatch(/NaN|undefined|(src|href)=(?!"data:,")/);
});

/** Turns a log into the file of examples that the experiment below names. */
async function makeExamples(conversions: (row: number) => boolean): Promise<void> {
  const rows = Array.from({ length: 600 }, (_, row) => [row, row % 7, row % 60, Number(conversions(row))]);
  const log = path.join(folder, 'log.csv');
  writeFileSync(log, ['time,ad,user,bought', ...rows].map((row) => `${String(row)}\n`).join(''));
  const map = experimentFile('map.json', {
    time: { column: 'time', unit: 'minutes' },
    label: { kind: 'conversion', column: 'bought' },
    units: { user: 'user' },
    features: [{ columns: ['ad'], role: 'known', kind: 'hashed', buckets: 16, collisions: 1 }],
  });
  const output = path.join(folder, 'log.examples');
  expect(await learnHere('data', '--input', log, '--map', map, '--output', output)).toMatchObject({
    code: 0,
  });
}

test('a killed grid on a log resumes to the identical table, unless the log has changed', async () => {
  const figures = [
    { title: 'Caps', line: 'cap', methods: ['rr'], units: ['user'], caps: [1, 2, 4], epsilons: [1, 4] },
  ];
  const experiment = experimentFile('log.json', { data: 'log.examples', seeds: 3, figures });
  const [whole, killed, changed] = ['log', 'log-killed', 'log-changed'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string];
  await makeExamples((row) => row % 9 === 0);
  const { code, out } = learn('--experiment', experiment, '--output', whole);
  expect(code).toBe(0);
  expect(await learnAndDie(experiment, killed)).toBeGreaterThan(0);
  cpSync(killed, changed, { recursive: true });
  expect(learn('--experiment', experiment, '--output', killed, '--resume')).toMatchObject({ code: 0, out });
  expectSameResults(killed, whole);

  await makeExamples((row) => row % 9 === 0 && row !== 90);
  expect(await learnHere('--experiment', experiment, '--output', changed, '--resume')).toEqual({
    code: 2,
    out: '',
    err: `cointoss: ${path.join(changed, 'results.unfinished')}: must be of the same data; without --resume the results begin anew\n`,
  });
  if (!isLong) return;
  expect(learn('--experiment', experiment, '--output', changed)).toMatchObject({ code: 0 });
  expect(readFileSync(path.join(changed, 'results.csv'))).not.toEqual(
    readFileSync(path.join(whole, 'results.csv')),
  );
});

test('results of another version are not continued', async () => {
  const [experiment, output] = [experimentFile('version.json', small), path.join(folder, 'version')];
  await learnAndDie(experiment, output);
  const journal = path.join(output, 'results.unfinished');
  const [first = '', ...others] = readFileSync(journal, 'utf8').split('\n');
  const older = { ...(JSON.parse(first) as object), version: 'that of 0.1.0' };
  writeFileSync(journal, [JSON.stringify(older), ...others].join('\n'));
  expect((await learnHere('--experiment', experiment, '--output', output, '--resume')).err).toContain(
    'must be of the same version; without --resume',
  );
});

test('results of another experiment are not continued', async () => {
  const output = path.join(folder, 'other');
  mkdirSync(output);
  writeFileSync(path.join(output, 'results.unfinished'), '{"run":"other"}\n');
  expect(
    await learnHere('--experiment', experimentFile('few.json', small), '--output', output, '--resume'),
  ).toEqual({
    code: 2,
    out: '',
    err: `cointoss: ${path.join(output, 'results.unfinished')}: must be of the same experiment; without --resume the results begin anew\n`,
  });
});

test('a log without conversions in one part is bad input', async () => {
  const file = experimentFile('few.json', { ...small, seed: 'e', users: 100 });
  const { code, err } = await learnHere('--experiment', file, '--output', path.join(folder, 'few'));
  expect(code).toBe(2);
  expect(err).toMatch(
    /^cointoss: learn: the \w+ part must have labels of both kinds, 0 of \d+ are above 0\n$/,
  );
});

test('a method whose labels cannot be de-biased is bad input', () => {
  const figures = [{ title: 'Bins', label: 'value', methods: ['rr-on-bins'], epsilons: [2] }];
  const file = experimentFile('bins.json', { ...small, figures });
  const { code, err } = learn('--experiment', file, '--output', path.join(folder, 'bins'));
  expect(code).toBe(2);
  expect(err).toMatch(
    /^cointoss: learn: figures\[0\]: rr-on-bins at ε = 2: 2 answers for 7 labels cannot be de-biased: .*\n$/,
  );
});

test('a budget that no noise keeps is bad input', () => {
  const figures = [
    { title: 'Cap', methods: ['dp-sgd'], features: 'known', units: ['user'], caps: [10], epsilons: [20] },
  ];
  const file = experimentFile('cap.json', { ...small, figures });
  const { code, err } = learn('--experiment', file, '--output', path.join(folder, 'cap'));
  expect(code).toBe(2);
  expect(err).toMatch(
    /^cointoss: learn: figures\[0\]: dp-sgd at ε = 20: no noise keeps an example within ε = 2, δ = 1\.317e-14: choose .*\n$/,
  );
});

const [figure] = small.figures;

test.each<[string, unknown, string]>([
  ['no figures', { figures: [] }, 'figures'],
  ['ε of 0', { figures: [{ ...figure, epsilons: [0] }] }, 'figures[0].epsilons[0]'],
  ['an unknown unit', { figures: [{ ...figure, units: ['household'] }] }, 'figures[0].units[0]'],
  ['an unknown method', { figures: [{ ...figure, methods: ['magic'] }] }, 'figures[0].methods[0]'],
  ['an unknown field', { figures: [figure], epochs: 3 }, 'epochs'],
  [
    'a network that is to train on label sums',
    { figures: [{ ...figure, methods: ['label-sums'], model: 'network' }] },
    'figures[0].model',
  ],
  [
    'the size of a network without one',
    { figures: [{ ...figure, network: { layers: [8] } }] },
    'figures[0].network',
  ],
  [
    'a network without layers',
    { figures: [{ ...figure, model: 'network', network: { layers: [] } }] },
    'figures[0].network.layers',
  ],
  [
    'an unknown rule for embeddings',
    { figures: [{ ...figure, model: 'network', network: { embedding: 'root' } }] },
    'figures[0].network.embedding',
  ],
  ['an unknown log', { log: 'real', figures: [figure] }, 'log'],
  ['a log beside data', { data: 'log.examples', log: 'crossed', figures: [figure] }, 'log'],
])('%s is one line that names the place', async (_, experiment, place) => {
  const file = experimentFile('bad.json', experiment);
  // In this process, which is faster: these errors come before threads start.
  const code = await main(['learn', '--experiment', file, '--output', path.join(folder, 'bad')]);
  expect({ code, printed }).toEqual({ code: 2, printed: [] });
  expect(said.join('').trim().split('\n')).toHaveLength(1);
  expect(said.join('')).toContain(`cointoss: ${file}: `);
  expect(said.join('')).toContain(place);
});

test.each([
  ['a threads count that is none', ['--demo', '--threads', '0'], /--threads/],
  ['neither demo nor experiment', [], /^cointoss: learn: needs either --demo or --experiment\n$/],
])('%s is bad input', async (_, args, message) => {
  expect(await main(['learn', ...args])).toBe(2);
  expect(said.join('')).toMatch(message);
});
