import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { readEmpty } from '../../../collector/store/empty-database';
import { makeStore, NAMES } from '../../../collector/store/new-folder';
import { openPglite } from '../../../collector/store/pglite';
import type { PgliteAnswer, PgliteRequest } from '../../../collector/store/pglite-worker';
import { root } from '../../../node/root';
import { compilePglite } from '../helpers/empty-store';
import { isLong } from '../helpers/is-long';

let folder = '';
beforeAll(compilePglite);
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'cointoss-new-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (...names: readonly string[]): void => {
  for (const name of names) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true, mode: 0o700 });
    writeFileSync(path.join(folder, name), name, { mode: 0o600 });
  }
};

const files = (): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();

const textOf = (name: string): string => readFileSync(path.join(folder, name), 'utf8');

const fill = (draft: string): void => {
  mkdirSync(path.join(draft, 'base'));
  for (const name of ['PG_VERSION', 'base/1', 'postmaster.pid'])
    writeFileSync(path.join(draft, name), 'filled');
};

const NEW = ['PG_VERSION', 'base/1', 'postmaster.pid'];

// Written out, because a collector must also complete what an earlier version left.
const DRAFT = '.pglite-draft-3f0c6c52-9d0e-4b7a-8a53-6d1f27c4e9b8';
const MADE = '.pglite-new-3f0c6c52-9d0e-4b7a-8a53-6d1f27c4e9b8';

test.each([
  ['while the database is made', [`${DRAFT}/PG_VERSION`, `${DRAFT}/base/2`], []],
  ['before its files move', NEW.map((name) => `${MADE}/${name}`), NEW],
  ['while they move', ['base/1', `${MADE}/PG_VERSION`, `${MADE}/postmaster.pid`], NEW],
  ['before the last one moves', ['base/1', `${MADE}/PG_VERSION`, 'postmaster.pid'], NEW],
])('a store whose first run was killed %s is completed', async (_, left, kept) => {
  put('collector.lock', ...left);
  await makeStore(folder, fill);
  expect(files()).toEqual([...NEW, 'collector.lock'].sort());
  expect(NEW.map(textOf)).toEqual(
    NEW.map((name) => (kept.length === 0 ? 'filled' : left.find((one) => one.endsWith(name)))),
  );
  expect(readdirSync(folder)).not.toContain(MADE);
});

test('a store that was killed after its last file moved stays as it is', async () => {
  put(...NEW);
  mkdirSync(path.join(folder, MADE));
  await makeStore(folder, () => Promise.reject(new Error('it is made')));
  expect(NEW.map(textOf)).toEqual(NEW);
  expect(existsSync(path.join(folder, MADE))).toBe(false);
});

test('a failure leaves nothing of the database, and what others put into the folder meanwhile', async () => {
  const failing = makeStore(folder, (draft) => {
    fill(draft);
    put('theirs/file');
    throw new Error('the disk is full');
  });
  await expect(failing).rejects.toThrow('the disk is full');
  expect(files()).toEqual(['theirs/file']);
  await makeStore(folder, fill);
  expect(files()).toEqual([...NEW, 'theirs/file'].sort());
});

test('what others call database.new or database.draft stays, in a new store and in one that is there', async () => {
  const theirs = ['database.draft/theirs', 'database.new/PG_VERSION', 'database.new/theirs'];
  put(...theirs);
  await makeStore(folder, fill);
  await makeStore(folder, () => Promise.reject(new Error('it is made')));
  expect(files()).toEqual([...NEW, ...theirs].sort());
  expect(theirs.map(textOf)).toEqual(theirs);
});

test('a store that is there keeps what is in the folder from which its files came', async () => {
  put(...NEW, `${MADE}/theirs`);
  await makeStore(folder, () => Promise.reject(new Error('it is made')));
  expect(files()).toEqual([...NEW, `${MADE}/theirs`].sort());
});

const all = (): readonly string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

describe('a folder that has names of the database is refused with the remedy, and stays as it is', () => {
  test('before a database is made', async () => {
    put('base/theirs', 'pg_wal', 'notes/today');
    const before = all();
    const made = jest.fn(fill);
    await expect(makeStore(folder, made)).rejects.toThrow(
      'a new store needs a folder without base, pg_wal; name another folder, or move base, pg_wal away',
    );
    expect(made).not.toHaveBeenCalled();
    expect(all()).toEqual(before);
    for (const name of ['base', 'pg_wal'])
      renameSync(path.join(folder, name), path.join(folder, `moved-${name}`));
    await makeStore(folder, fill);
    expect(files()).toEqual([...NEW, 'moved-base/theirs', 'moved-pg_wal', 'notes/today'].sort());
  });

  test('when a name comes while the database is made', async () => {
    const meanwhile = makeStore(folder, (draft) => {
      fill(draft);
      put('base/theirs');
    });
    await expect(meanwhile).rejects.toThrow('a new store needs a folder without base;');
    expect(all()).toEqual(['base', 'base/theirs']);
  });
});

test('a new store is made beside the files of others', async () => {
  put('notes/today');
  const store = await openPglite(folder, () => Promise.resolve());
  expect(await store.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await store.close();
  expect(textOf('notes/today')).toBe('notes/today');
  expect(readdirSync(folder).sort()).toEqual([...NAMES, 'notes'].sort());
});

describe('a collector whose empty database is damaged or missing', () => {
  /** A program of its own, whose file can be damaged. */
  function program(damage: (file: string) => void): string {
    const place = path.join(folder, 'program');
    mkdirSync(path.join(place, 'dist/node'), { recursive: true });
    writeFileSync(path.join(place, 'package.json'), '{}');
    symlinkSync(path.join(root, 'node_modules'), path.join(place, 'node_modules'));
    for (const name of readdirSync(path.join(root, 'dist/node')))
      if (/^empty-pglite|^pglite-worker/.test(name)) {
        const copy = path.join(place, 'dist/node', name);
        cpSync(path.join(root, 'dist/node', name), copy);
        if (name.startsWith('empty')) damage(copy);
      }
    return path.join(place, 'dist/node/pglite-worker.mjs');
  }

  const truncated = (file: string): void => writeFileSync(file, readFileSync(file).subarray(0, 1_000_000));
  const changed = (file: string): void => {
    const bytes = readFileSync(file);
    bytes.fill(0, 1_000_000, 1_000_100);
    writeFileSync(file, bytes);
  };

  const damages = [
    ['truncated', truncated, 'store'],
    ['changed', changed, null],
    ['missing', rmSync, 'store'],
  ] as const;

  test.each(damages)('knows that it is %s', (_, damage) => {
    const name =
      readdirSync(path.join(root, 'dist/node')).find((one) => one.startsWith('empty-pglite')) ?? '';
    const file = path.join(folder, name);
    cpSync(path.join(root, 'dist/node', name), file);
    expect(readEmpty(file).length).toBeGreaterThan(1_000_000);
    damage(file);
    expect(() => readEmpty(file)).toThrow(/ENOENT|unexpected end of file|invalid|incorrect/);
  });

  // PostgreSQL makes a database in each, which takes five seconds of processor time.
  test.each(isLong ? damages : damages.slice(-1))(
    'makes a database without it: %s',
    async (_, damage, name) => {
      const worker = new Worker(program(damage), { stderr: true });
      const errors: string[] = [];
      worker.stderr.on('data', (text) => errors.push(String(text)));
      const ask = async (request: PgliteRequest): Promise<PgliteAnswer> => {
        worker.postMessage(request);
        const [answer] = (await once(worker, 'message')) as [PgliteAnswer];
        return answer;
      };
      const store = name === null ? null : path.join(folder, name);
      if (store !== null) mkdirSync(store);
      expect(await ask({ kind: 'open', folder: store })).toEqual({ rows: [] });
      expect(await ask({ kind: 'query', sql: 'SELECT 1 AS one', parameters: [] })).toEqual({
        rows: [{ one: 1 }],
      });
      expect(await ask({ kind: 'close' })).toEqual({ rows: [] });
      await worker.terminate();
      expect(errors.join('')).toContain('Warning: the empty database cannot be read, so a new one is made: ');
      if (store !== null) expect(readdirSync(store)).toContain('PG_VERSION');
    },
    60_000,
  );
});
