import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../../../node/root';

const PROGRAM = `
  const { jest } = await import('./scripts/jest.mjs');
  const { code, counts = null } = await jest(['own'], '--runInBand');
  process.stdout.write('\\n' + JSON.stringify({ code, counts }));`;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cointoss-jest-'));
  cpSync(path.join(root, 'scripts'), path.join(folder, 'scripts'), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  const project = { displayName: 'own', testMatch: ['<rootDir>/*.test.js'], transform: {} };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ jest: { projects: [project] } }));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What the stages of `npm test` get of a run of Jest with this test. */
function ran(test: string): unknown {
  writeFileSync(path.join(folder, 'own.test.js'), `test('it', () => { ${test} });`);
  const args = ['--input-type=module', '--eval', PROGRAM];
  const printed = execFileSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(printed.split('\n').at(-1) ?? '');
}

test('a run that ends is counted, and has the exit code of Jest', () => {
  expect(ran('')).toMatchObject({ code: 0, counts: { passed: 1, failed: 0 } });
  expect(ran('throw new Error()')).toMatchObject({ code: 1, counts: { passed: 0, failed: 1 } });
});

// The test runs in the process of Jest. After one that ended, the file with its results is there.
test.each([
  ['is killed', `process.kill(process.pid, 'SIGKILL');`, 137],
  ['ends as if all were well', `process.reallyExit(0);`, 1],
])('one that %s has failed, whatever the run before has found', (_, test, code) => {
  expect(ran('')).toMatchObject({ code: 0 });
  expect(existsSync(path.join(folder, '.data/jest-own.json'))).toBe(true);
  expect(ran(test)).toEqual({ code, counts: null });
});
