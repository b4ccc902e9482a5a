import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../../node/root';

const MEMORY = '/dev/shm';
const TMPDIR = mkdtempSync(path.join(tmpdir(), 'cointoss-memory-'));
afterAll(() => rmSync(TMPDIR, { recursive: true }));

interface Seen {
  readonly during: string;
  readonly after: string;
  readonly options: readonly string[];
  readonly mode: number;
  readonly failed: string | null;
  readonly result: unknown;
  /** What it wrote on standard error. */
  readonly told: string;
}

/** What a process sees that works so. @param end what its work does after it has looked around */
function runWith(end: string, where: { readonly memory?: string; readonly full?: number } = {}): Seen {
  const program = `
    import { spawn } from 'node:child_process';
    import { existsSync, statSync, writeFileSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    import { withFilesInMemory } from '${pathToFileURL(path.join(root, 'scripts/memory-folder.mjs')).href}';
    const seen = { failed: null };
    seen.result = await withFilesInMemory(async (options) => {
      const during = tmpdir();
      writeFileSync(during + '/left', '');
      Object.assign(seen, { during, options, mode: statSync(during).mode & 0o1777 });
      ${end}
    }, ${JSON.stringify(where)}).catch((error) => void (seen.failed = error.message));
    console.log(JSON.stringify({ ...seen, after: tmpdir() }));`;
  const given = ['--input-type=module', '--eval', program];
  const options = { encoding: 'utf8', env: { ...process.env, TMPDIR } } as const;
  const { stdout, stderr } = spawnSync(process.execPath, given, options);
  const seen = JSON.parse(stdout) as Omit<Seen, 'told'>;
  // It may also tell of a folder that another run left behind.
  const ofOthers = (line: string): boolean => line.includes(' stays, ') && !line.includes(`${seen.during} `);
  const told = stderr.split('\n').filter((line) => !ofOthers(line));
  return { ...seen, told: told.join('\n') };
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

  test('the result of a run counts though a process that it left still writes', () => {
    // It writes for 0.4 s of processor time, or until its folder is gone. What it writes while that is emptied stays.
    const writer = `
      for (let i = 0; process.cpuUsage().user < 400000; i++)
        require('node:fs').writeFileSync(process.argv[1] + '/' + i, '');`;
    const seen = runWith(`
      const writer = spawn(process.execPath, ['--eval', ${JSON.stringify(writer)}, during], { stdio: 'ignore' });
      writer.unref();
      while (!existsSync(during + '/10')) await new Promise((resolve) => setTimeout(resolve, 10));
      return { code: 3, writer: writer.pid };`);
    expect(seen).toMatchObject({ failed: null, result: { code: 3 } });
    const { writer: pid } = seen.result as { readonly writer: number };
    // Whether it won the race for the folder or lost it.
    if (seen.told === '') expect(existsSync(seen.during)).toBe(false);
    else {
      expect(seen.told).toBe(
        `npm test: ${seen.during} stays, with what is in it (ENOTEMPTY): remove it by hand\n`,
      );
      process.kill(pid);
      rmSync(seen.during, { recursive: true, maxRetries: 10 });
    }
  });

  test('a run that fails in full memory says so', () => {
    const told = [
      runWith('return { code: 1 };', { full: 2 ** 60 }),
      runWith("throw new Error('on purpose');", { full: 2 ** 60 }),
      runWith('return { code: 0 };', { full: 2 ** 60 }),
      runWith('return { code: 1 };'),
    ].map((seen) => seen.told.replace(/\d+ bytes/, 'N bytes'));
    const line = `npm test: ${MEMORY} is full (N bytes are free), and the run failed: that may be why\n`;
    expect(told).toEqual([line, line, '', '']);
  });
});

test('what a killed run of this user left goes with a run an hour later, before that looks for room', () => {
  // Not in memory, so it has no room.
  const memory = mkdtempSync(path.join(tmpdir(), 'cointoss-left-'));
  const { pid: dead } = spawnSync(process.execPath, ['--version']);
  const make = (name: string, minutes = 61): string => {
    const folder = path.join(memory, name);
    mkdirSync(path.join(folder, 'profile'), { recursive: true });
    const changed = Date.now() / 1000 - 60 * minutes;
    utimesSync(folder, changed, changed);
    return folder;
  };
  const left = [
    make(`cointoss-tests-${dead}-a`),
    // Its process may be in another container.
    make(`cointoss-tests-${dead}-c`, 59),
    make(`cointoss-tests-${process.pid}-a`),
    make('cointoss-tests-a'),
    // It begins with a number that is not the id of a process.
    make(`cointoss-tests-${dead}a`),
    make('a'),
  ];
  const isRoot = process.getuid?.() === 0;
  const foreign = make(`cointoss-tests-${dead}-b`);
  if (isRoot) chownSync(foreign, 65_534, 65_534);
  expect(runWith('', { memory })).toMatchObject({ during: TMPDIR, failed: null, told: '' });
  expect(left.map((folder) => existsSync(folder))).toEqual([false, true, true, true, true, true]);
  expect(existsSync(foreign)).toBe(isRoot);
  rmSync(memory, { recursive: true });
});

test('a folder on a disk, or one that is not there, is not taken', () => {
  for (const folder of [root, path.join(root, 'none')])
    expect(runWith('', { memory: folder })).toMatchObject({
      during: TMPDIR,
      after: TMPDIR,
      options: [],
      failed: null,
    });
  expect(statSync(path.join(TMPDIR, 'left')).isFile()).toBe(true);
});
