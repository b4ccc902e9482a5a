import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../../../node/root';

const program = (runs: number): string => `
  const { jest } = await import('./scripts/jest.mjs');
  const run = async () => {
    const { code, counts = null } = await jest(['own'], '--runInBand');
    return { code, counts };
  };
  process.stdout.write('\\n' + JSON.stringify(await Promise.all(Array.from({ length: ${runs} }, run))));`;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cointoss-jest-'));
  cpSync(path.join(root, 'scripts'), path.join(folder, 'scripts'), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  const project = { displayName: 'own', testMatch: ['<rootDir>/*.test.js'], transform: {} };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ jest: { projects: [project] } }));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What the stages of `npm test` get of runs of Jest with this test, all at once. */
function ran(test: string, runs = 1): readonly unknown[] {
  writeFileSync(path.join(folder, 'own.test.js'), `test('it', () => { ${test} });`);
  const args = ['--input-type=module', '--eval', program(runs)];
  const printed = execFileSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(printed.split('\n').at(-1) ?? '') as readonly unknown[];
}

const results = (): readonly string[] =>
  readdirSync(path.join(folder, '.data')).filter((name) => name.startsWith('jest-'));

test('a run that ends is counted, has the exit code of Jest, and leaves no results', () => {
  expect(ran('')).toMatchObject([{ code: 0, counts: { passed: 1, failed: 0 } }]);
  expect(ran('throw new Error()')).toMatchObject([{ code: 1, counts: { passed: 0, failed: 1 } }]);
  expect(results()).toEqual([]);
});

test('two runs at once write their results into files of their own', () => {
  const names = path.join(folder, 'names');
  const note = `const at = process.argv.indexOf('--outputFile') + 1;
    require('node:fs').appendFileSync(${JSON.stringify(names)}, process.argv[at] + '\\n');`;
  expect(ran(note, 2)).toMatchObject(Array(2).fill({ code: 0, counts: { passed: 1 } }));
  const written = readFileSync(names, 'utf8').trim().split('\n');
  expect(written).toHaveLength(2);
  expect(new Set(written).size).toBe(2);
});

// The test runs in the process of Jest.
test.each([
  ['is killed', `process.kill(process.pid, 'SIGKILL');`, 137],
  ['ends as if all were well', `process.reallyExit(0);`, 1],
])('one that %s has failed, whatever the runs before have found', (_, test, code) => {
  expect(ran(test)).toEqual([{ code, counts: null }]);
});
