import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../../../node/root';

const PROGRAM = `
  const { listSlowAndFlaky } = await import('./scripts/slow-and-flaky.mjs');
  listSlowAndFlaky(JSON.parse(process.argv[1]));`;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cointoss-flaky-'));
  mkdirSync(path.join(folder, '.data'));
  cpSync(path.join(root, 'scripts'), path.join(folder, 'scripts'), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Result {
  readonly fullName: string;
  readonly duration: number;
  readonly status?: string;
  readonly firstError?: string;
}

/** The lines that a run with these tests ends with, without the day. */
function listed(...tests: readonly Result[]): readonly string[] {
  const assertionResults = tests.map((test) => ({ status: 'passed', ...test }));
  const files = [{ name: path.join(folder, 'test/a.test.ts'), assertionResults }];
  const args = ['--input-type=module', '--eval', PROGRAM, JSON.stringify(files)];
  const printed = execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  return printed
    .replace(/\d{4}-\d\d-\d\d/g, 'DAY')
    .split('\n')
    .filter((line) => line !== '');
}

test('the ten slowest tests are listed, and those that passed only in a second try, also of the run before', () => {
  const error =
    '\u001B[31mError: expected 1\u001B[39m\n\n  was 2\n    at test (a.test.ts:1:1)\n    at run (b.ts:2:2)';
  const many = Array.from({ length: 12 }, (_, index) => ({ fullName: `${index}`, duration: 1000 * index }));
  const [heading, ...first] = listed(
    ...many,
    { fullName: 'flaky', duration: 1, firstError: error },
    { fullName: 'broken', duration: 1, firstError: error, status: 'failed' },
  );
  expect(heading).toBe('The slowest tests');
  expect(first.slice(0, 10)).toEqual(
    [11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((index) => `  ${index}.0 s  test/a.test.ts: ${index}`),
  );
  const flaky = ['  DAY  test/a.test.ts: flaky', '    Error: expected 1', '      was 2'];
  expect(first.slice(10)).toEqual([
    'Tests that passed only when they were tried again: 1 in this run',
    ...flaky,
  ]);
  expect(listed()).toEqual([
    'The slowest tests',
    'Tests that passed only when they were tried again: 0 in this run',
    ...flaky,
  ]);
});

test('results that a killed run left are removed after a day, and those of a run under way are not', () => {
  const data = path.join(folder, '.data');
  for (const [name, hours] of [
    ['jest-unit-1.json', 25],
    ['jest-unit-2.json', 23],
    ['other.json', 99],
  ] as const) {
    const file = path.join(data, name);
    writeFileSync(file, '{}');
    const then = Date.now() / 1000 - 3600 * hours;
    utimesSync(file, then, then);
  }
  const program = `
    const { removeLeftResults } = await import('./scripts/slow-and-flaky.mjs');
    removeLeftResults(${JSON.stringify(data)});`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder });
  expect(readdirSync(data).sort()).toEqual(['flaky-tests.json', 'jest-unit-2.json', 'other.json']);
});
