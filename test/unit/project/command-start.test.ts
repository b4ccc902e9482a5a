import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { version } from '../../../package.json';
import { root } from '../../../node/root';

/** Folders that a clone lacks, and folders that no command is built from. */
const left = new Set(['node_modules', 'dist', '.data', '.git', 'docs', 'test']);
const clone = mkdtempSync(path.join(tmpdir(), 'cointoss-clone-'));

beforeAll(() => {
  for (const name of readdirSync(root))
    if (!left.has(name)) cpSync(path.join(root, name), path.join(clone, name), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(clone, 'node_modules'));
});

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
