import { execFileSync } from 'node:child_process';
import fs, {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCollector } from '../../../collector/server';
import { openPglite } from '../../../collector/store/pglite';
import { EVENT_LEVEL, post, report } from '../helpers/collector-client';
import { compilePglite, copyEmptyStore } from '../helpers/empty-store';
import { isLong } from '../helpers/is-long';

let umask = 0;
let folder = '';
beforeAll(compilePglite);
beforeEach(() => {
  umask = process.umask(0o022);
  folder = mkdtempSync(path.join(tmpdir(), "cointoss it's "));
});
afterEach(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true });
});

const store = (): string => path.join(folder, 'new/store');

async function run(): Promise<void> {
  const app = await createCollector({ store: store() });
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  expect((await post(`${origin}${EVENT_LEVEL}`, JSON.stringify(report))).status).toBe(200);
  await app.close();
}

/** The modes of all that is in the store, with one name of each. */
const modes = (): ReadonlyMap<string, string> =>
  new Map(
    ['', ...readdirSync(store(), { recursive: true, encoding: 'utf8' })].map((name) => {
      const stats = lstatSync(path.join(store(), name));
      return [`${stats.isDirectory() ? 'folder' : 'file'} ${(stats.mode & 0o777).toString(8)}`, name];
    }),
  );

const expectPrivate = (): void => expect([...modes().keys()].sort()).toEqual(['file 600', 'folder 700']);

/** PostgreSQL draws it when it makes a database. */
async function identifierOf(place: string): Promise<unknown> {
  const database = await openPglite(place, () => Promise.resolve());
  const found = await database.query('SELECT system_identifier::TEXT FROM pg_control_system()', []);
  await database.close();
  return found;
}

test('a new store is a copy of the empty database that comes with the collector, and private under umask 0', async () => {
  process.umask(0);
  expect(await identifierOf(store())).toEqual(await identifierOf('memory://'));
  expectPrivate();
});

describe('before it has a database, under umask 0', () => {
  beforeEach(() => process.umask(0));

  /** Opens the store up to where PGlite would make its files. */
  const begin = (): Promise<unknown> =>
    openPglite(store(), () => Promise.reject(new Error('the folder is there')));

  const modeOf = (name: string): string => (statSync(name).mode & 0o777).toString(8);

  test('only the owner can open the folder of a new store, and the one that was made for it', async () => {
    await expect(begin()).rejects.toThrow('the folder is there');
    expect([path.dirname(store()), store()].map(modeOf)).toEqual(['700', '700']);
  });

  test('an empty folder that all can open is made private', async () => {
    mkdirSync(store(), { recursive: true });
    expect(modeOf(store())).toBe('777');
    await expect(begin()).rejects.toThrow('the folder is there');
    expect(modeOf(store())).toBe('700');
  });

  test('a folder whose contents another collector moves meanwhile is no failure of its own', async () => {
    const inStore = (name: string): string => path.join(store(), name);
    for (const name of ['draft/base', 'late']) mkdirSync(inStore(name), { recursive: true, mode: 0o700 });
    for (const name of ['..', '.', 'draft', 'draft/base', 'late']) chmodSync(inStore(name), 0o700);
    const look = fs.lstatSync;
    // What was just looked at moves, and so does what is looked at next.
    const spy = jest.spyOn(fs, 'lstatSync').mockImplementation(((name: string, options: object) => {
      const stats = look(name, options as never);
      if (name === inStore('draft'))
        for (const moved of ['draft', 'late']) renameSync(inStore(moved), inStore(`${moved}-moved`));
      return stats;
    }) as never);
    await expect(begin()).rejects.toThrow('the folder is there');
    spy.mockRestore();
    expect(readdirSync(store()).sort()).toEqual(['draft-moved', 'late-moved']);
  });
});

// To open a store takes a second of processor time. Under the stricter umask, each file that is not made private still is.
test.each(isLong ? [0, 0o077] : [0])(
  'under umask %o, only the owner can open the files of a new store, also after it was opened again',
  async (mask) => {
    process.umask(mask);
    await run();
    expectPrivate();
    expect(readdirSync(store(), { recursive: true }).length).toBeGreaterThan(500);
    expect(statSync(path.dirname(store())).mode & 0o777).toBe(0o700);
    await run();
    expectPrivate();
  },
  60_000,
);

describe('a store that is there', () => {
  const refusal = async (): Promise<string> => {
    try {
      await run();
      return 'none';
    } catch (error) {
      return (error as Error).message;
    }
  };

  test('is refused if others can open some of it, with the command that mends it', async () => {
    mkdirSync(path.dirname(store()));
    await copyEmptyStore(store());
    chmodSync(path.join(store(), 'base'), 0o750);
    chmodSync(path.join(store(), 'PG_VERSION'), 0o644);
    const message = await refusal();
    expect(message).toMatch(
      /^must be open to its owner only; found .* and 1 more with mode \d+; run: chmod -R go= '/,
    );
    execFileSync('sh', ['-c', message.replace(/^.*run: /, '')]);
    expect(await refusal()).toBe('none');
  });

  test('is made private if it is empty, as are its files, under the usual umask', async () => {
    mkdirSync(store(), { recursive: true });
    chmodSync(store(), 0o777);
    await run();
    expect(statSync(store()).mode & 0o777).toBe(0o700);
    expect([...modes().keys()].sort()).toEqual(['file 600', 'folder 700']);
  });

  test('is refused if it has a link', async () => {
    mkdirSync(store(), { recursive: true, mode: 0o700 });
    symlinkSync('/etc', path.join(store(), 'base'));
    expect(await refusal()).toMatch(/^must have only files and folders; found .*base; remove it$/);
  });
});
