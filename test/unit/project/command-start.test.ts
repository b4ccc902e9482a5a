import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { version as pglite } from '../../../node_modules/@electric-sql/pglite/package.json';
import { version } from '../../../package.json';
import { root } from '../../../node/root';
import { isLong } from '../helpers/is-long';

/** Folders that a clone lacks, and folders that no command is built from. */
const left = new Set(['node_modules', 'dist', '.data', '.git', 'docs', 'test']);
const EMPTY = `empty-pglite-${pglite}.tar.gz`;
const MONTH = 'dist/node/demo-month.json.gz';
const clone = mkdtempSync(path.join(tmpdir(), 'cointoss-clone-'));

beforeAll(() => {
  for (const name of readdirSync(root))
    if (!left.has(name)) cpSync(path.join(root, name), path.join(clone, name), { recursive: true });
  copyEmptyDatabase();
  if (!isLong) copyMonth();
  symlinkSync(path.join(root, 'node_modules'), path.join(clone, 'node_modules'));
});

/** `npm run soak` damages it, so that the clone makes another one, which takes six seconds of processor time. */
function copyEmptyDatabase(): void {
  mkdirSync(path.join(clone, '.data'));
  const bytes = readFileSync(path.join(root, '.data', EMPTY));
  writeFileSync(path.join(clone, '.data', EMPTY), isLong ? bytes.subarray(0, bytes.length / 2) : bytes);
}

/** `npm run soak` makes another one, as a build after each change of its program does, which takes ten seconds of processor time. */
function copyMonth(): void {
  mkdirSync(path.join(clone, 'dist/node'), { recursive: true });
  cpSync(path.join(root, MONTH), path.join(clone, MONTH));
}

afterAll(() => rmSync(clone, { recursive: true }));

function cointoss(...args: string[]): { out: string; err: string } {
  const command = path.join(clone, 'cli/cointoss.mjs');
  const { stdout, stderr } = spawnSync(process.execPath, [command, ...args], { encoding: 'utf8' });
  return { out: stdout, err: stderr };
}

test('the first command of a clone compiles all, and says so; the next ones only start', () => {
  const first = cointoss('--version');
  expect(first.out).toBe(`${version}\n`);
  expect(first.err).toMatch(
    /^cointoss: building the command line\ncointoss: the command line is built \(.* s\)\n$/,
  );
  expect(cointoss('--version')).toEqual({ out: `${version}\n`, err: '' });
  expect(gunzipSync(readFileSync(path.join(clone, 'dist/node', EMPTY))).length).toBeGreaterThan(2 ** 24);
  if (isLong) expect(gunzipSync(readFileSync(path.join(clone, MONTH))).length).toBeGreaterThan(2 ** 20);
});

test('a command whose reader goes away ends quietly', () => {
  cointoss('--version');
  const command = `"$0" ${path.join(clone, 'cli/cointoss.mjs')} states --help | true`;
  for (let index = 0; index < 5; index++)
    expect(spawnSync('sh', ['-c', command, process.execPath], { encoding: 'utf8' }).stderr).toBe('');
});

test('a change of the sources is compiled by the next command', () => {
  cointoss('--version');
  appendFileSync(path.join(clone, 'cli/main.ts'), "process.stdout.write('changed\\n');\n");
  const { out, err } = cointoss('--version');
  expect(out).toBe(`changed\n${version}\n`);
  expect(err).toContain('building the command line');
});
