import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../../node/root';

const MEMORY = '/dev/shm';
const DAY = 86_400;
const TMPDIR = mkdtempSync(path.join(tmpdir(), 'cointoss-memory-'));
afterAll(() => rmSync(TMPDIR, { recursive: true }));

interface Seen {
  readonly during: string;
  readonly after: string;
  readonly options: readonly string[];
  readonly mode: number;
  readonly failed: string | null;
}

/** What a process sees that works so. @param end what its work does after it has looked around */
function runWith(end: string, memory = MEMORY): Seen {
  const program = `
    import { statSync, writeFileSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    import { withFilesInMemory } from '${pathToFileURL(path.join(root, 'scripts/memory-folder.mjs')).href}';
    const seen = { failed: null };
    await withFilesInMemory(async (options) => {
      const during = tmpdir();
      writeFileSync(during + '/left', '');
      Object.assign(seen, { during, options, mode: statSync(during).mode & 0o1777 });
      ${end}
    }, ${JSON.stringify(memory)}).catch((error) => (seen.failed = error.message));
    console.log(JSON.stringify({ ...seen, after: tmpdir() }));`;
  const given = ['--input-type=module', '--eval', program];
  const options = { encoding: 'utf8', env: { ...process.env, TMPDIR } } as const;
  return JSON.parse(execFileSync(process.execPath, given, options)) as Seen;
}

/** Without room in memory, as in many containers, there is nothing to see but that the folder stays the same. */
const hasMemory = runWith('').during !== TMPDIR;
const whereMemoryIs = hasMemory ? describe : describe.skip;

whereMemoryIs('with room in memory', () => {
  test('the temporary files of a run are in memory, and gone with it, also if it fails', () => {
    for (const [end, failed] of [
      ['', null],
      ["throw new Error('on purpose')", 'on purpose'],
    ] as const) {
      const seen = runWith(end);
      expect(path.dirname(seen.during)).toBe(MEMORY);
      expect(existsSync(seen.during)).toBe(false);
      // Databases and proxies run as users of their own, who must be able to pass.
      expect(seen).toMatchObject({ after: TMPDIR, failed, mode: 0o1777 });
      // What jest has compiled is there for the next run.
      expect(seen.options[0]).toBe('--cacheDirectory');
      expect(path.dirname(seen.options[1] ?? '')).toBe(TMPDIR);
    }
  });

  test('what a run left that was killed goes with the next one, a day later', () => {
    const left = [2 * DAY, 0].map((age) => {
      const folder = path.join(MEMORY, `cointoss-tests-${process.pid}-${age}`);
      mkdirSync(folder);
      const time = Date.now() / 1000 - age;
      utimesSync(folder, time, time);
      return folder;
    });
    runWith('');
    expect(left.map((folder) => existsSync(folder))).toEqual([false, true]);
    rmSync(left[1] ?? '', { recursive: true });
  });
});

test('a folder on a disk, or one that is not there, is not taken', () => {
  for (const folder of [root, path.join(root, 'none')])
    expect(runWith('', folder)).toMatchObject({ during: TMPDIR, after: TMPDIR, options: [], failed: null });
  expect(statSync(path.join(TMPDIR, 'left')).isFile()).toBe(true);
});
