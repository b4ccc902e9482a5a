import 'fake-indexeddb/auto';
import { deleteDB, openDB } from 'idb';
import { contentOf, hasSpare, saveSpare } from '../../../extension/store/idb-spare';
import type { Schema } from '../../../extension/store/idb-schema';
import { SCHEMA_VERSION } from '../../../extension/store/upgrades';
import { tableNames } from '../../../src/store/rows';
import { IdbStore } from '../../../extension/store/idb-store';
import { StoredEngine } from '../../../transactions/stored-engine';
import { conditions, sourceRegistration } from '../helpers/engine';
import { chromiumLimits } from '../../../src/model/limits';
import { seededRandomSource } from '../../../analysis/random/sources';

let databases = 0;
let name: string;
let store: IdbStore;

const engineOver = (over: IdbStore): StoredEngine =>
  new StoredEngine({ store: over, limits: chromiumLimits, random: () => seededRandomSource('1', 1) });

const record = (over = store): Promise<unknown> =>
  engineOver(over).register(sourceRegistration({}, 'event'), conditions());

beforeEach(async () => {
  name = `replaced ${++databases}`;
  store = await IdbStore.open(name);
  await store.setMeta('clock', 5);
  await record();
});

test('a new database has the same content, for every page that is open, and what was asked meanwhile is done', async () => {
  const page = await IdbStore.open(name);
  expect(await page.ids('sources')).toHaveLength(1);
  const [before] = await page.newest('sources', 1);
  const replaced = store.replace();
  await Promise.all([record(), replaced]);
  const after = await page.newest('sources', 2);
  expect(after).toHaveLength(2);
  expect(after[1]).toEqual(before);
  // Ids go on, so that nothing gets the id of an erased row.
  expect(after[0]?.id).toBeGreaterThan(before?.id ?? 0);
  expect(await page.getMeta('clock')).toBe(5);
  expect(await hasSpare(name)).toBe(false);
});

test('if the content cannot be saved, the database stays, also for what was asked meanwhile', async () => {
  const saving = jest.spyOn(indexedDB, 'open').mockImplementation(() => {
    throw new Error('the disk is full');
  });
  const meanwhile = store.replace().catch((error: unknown) => error);
  const recorded = record();
  expect(await meanwhile).toEqual(new Error('the disk is full'));
  await recorded;
  saving.mockRestore();
  expect(await store.ids('sources')).toHaveLength(2);
  await store.replace();
  expect(await store.ids('sources')).toHaveLength(2);
});

test('a database that could not be opened is tried again', async () => {
  const page = await IdbStore.open(name);
  // An upgrade by a newer version closes it.
  (await openDB(name, SCHEMA_VERSION + 1)).close();
  await expect(page.ids('sources')).rejects.toThrow('version');
  await deleteDB(name);
  expect(await page.ids('sources')).toEqual([]);
});

describe('if the background stops', () => {
  const restart = async (): Promise<void> => {
    store = await IdbStore.open(name);
    await store.finishReplacing();
    expect(await store.ids('sources')).toHaveLength(1);
    expect(await store.getMeta('clock')).toBe(5);
    expect(await hasSpare(name)).toBe(false);
    await record();
    expect(await store.ids('sources')).toHaveLength(2);
  };

  const save = async (): Promise<void> => {
    const database = await openDB<Schema>(name, SCHEMA_VERSION);
    await saveSpare(name, await contentOf(database, [...tableNames(), 'meta']));
    database.close();
  };

  test('before the content is saved, the database stays', async () => {
    (
      await openDB(`${name} while it is replaced`, 1, {
        upgrade: (database) => void database.createObjectStore('content'),
      })
    ).close();
    await restart();
  });

  test('after that, the next one goes on', async () => {
    await save();
    await restart();
  });

  test('while there is no database, the next one makes it', async () => {
    await save();
    await store.close();
    await deleteDB(name);
    await restart();
  });
});
