import 'fake-indexeddb/auto';
import { openDB, type IDBPDatabase } from 'idb';
import {
  COUNTERS,
  upgrade,
  type Counters,
  type Schema,
  type Version,
} from '../../../extension/store/idb-schema';
import { IdbStore } from '../../../extension/store/idb-store';
import { conversions, SCHEMA_VERSION, type OldRow } from '../../../extension/store/upgrades';
import { StoredEngine } from '../../../transactions/stored-engine';
import type { LogEntry } from '../../../src/model/decision';
import { chromiumLimits } from '../../../src/model/limits';
import { seededRandomSource } from '../../../analysis/random/sources';
import { indexes, tableNames, type TableName } from '../../../src/store/rows';
import { conditions, sourceRegistration, triggerRegistration } from '../helpers/engine';

/* Nothing but version 1 was ever released, so the versions after today's are made up. */

const shapeOf = (entry: LogEntry): number => (entry as LogEntry & { readonly shape: number }).shape;
/** Two versions from now: rows that changed their shape twice, an index that is gone, a new one, and one with other keys than before. */
const later: Version = {
  number: SCHEMA_VERSION + 2,
  indexes: {
    ...indexes,
    log: {
      time: (entry: LogEntry) => [-Number(entry.time)],
      shape: (entry: LogEntry) => [shapeOf(entry)],
    },
  },
  conversions: [
    ...conversions,
    {
      version: SCHEMA_VERSION + 1,
      table: 'log',
      convert: (row) => ({ ...row, shape: Number(row['id']) * 2 }),
    },
    {
      version: SCHEMA_VERSION + 2,
      table: 'log',
      convert: (row) => ({ ...row, shape: Number(row['shape']) + 1 }),
    },
  ],
};

let opened = 0;

/** A database of today after a source and a conversion. */
async function used(): Promise<string> {
  const name = `upgraded-${++opened}`;
  const store = await IdbStore.open(name);
  const random = (stream: number) => seededRandomSource('upgrades', stream);
  const engine = new StoredEngine({ store, limits: chromiumLimits, random });
  await engine.register(sourceRegistration(), conditions());
  await engine.register(triggerRegistration(), conditions());
  await store.close();
  return name;
}

const openAs = (name: string, version: Version): Promise<IDBPDatabase<Schema>> =>
  openDB<Schema>(name, version.number, {
    upgrade: (_database, from, _to, transaction) => upgrade(transaction, from, version),
  });

/** An index's entries, in order. */
async function entriesOf(database: IDBPDatabase<Schema>, table: TableName, index: string): Promise<unknown> {
  const entries: unknown[] = [];
  let cursor = await database.transaction(table).store.index(index).openKeyCursor();
  for (; cursor !== null; cursor = await cursor.continue()) entries.push([cursor.key, cursor.primaryKey]);
  return entries;
}

async function rowsOf(name: string): Promise<unknown> {
  const database = await openDB<Schema>(name);
  const all = await Promise.all(tableNames().map(async (table) => [table, await database.getAll(table)]));
  database.close();
  return Object.fromEntries(all);
}

test('an upgrade converts rows, computes keys anew, adds and removes indexes, and keeps all else', async () => {
  const name = await used();
  const before = (await rowsOf(name)) as Record<TableName, readonly { readonly id: number }[]>;
  expect(before.log).toHaveLength(2);
  const database = await openAs(name, later);
  const log = await database.getAll('log');
  expect(log.map(({ row }) => shapeOf(row))).toEqual(log.map(({ id }) => 2 * id + 1));
  expect([...database.transaction('log').store.indexNames].sort()).toEqual(['shape', 'time']);
  expect(await entriesOf(database, 'log', 'shape')).toEqual(log.map(({ id }) => [2 * id + 1, id]));
  expect(await entriesOf(database, 'log', 'time')).toEqual(
    log
      .map(({ id, row }) => [-Number(row.time), id] as const)
      .sort(([a, one], [b, other]) => a - b || one - other),
  );
  database.close();
  const after = (await rowsOf(name)) as Record<TableName, unknown>;
  for (const table of tableNames().filter((one) => one !== 'log'))
    expect([table, after[table]]).toEqual([table, before[table]]);
});

test('after an upgrade the bytes are counted anew', async () => {
  const name = await used();
  const before = await openAs(name, { ...later, number: SCHEMA_VERSION });
  const { given, idKey } = (await before.get('meta', COUNTERS)) as Counters;
  before.close();
  (await openAs(name, later)).close();
  const database = await openDB<Schema>(name);
  expect(await database.getAllKeys('meta')).toEqual([COUNTERS]);
  expect(await database.get('meta', COUNTERS)).toEqual({ given, idKey, bytes: new Map(), registered: [] });
  database.close();
});

test('a database stays as it was when a row cannot be converted', async () => {
  const name = await used();
  const before = await rowsOf(name);
  const convert = (row: OldRow): OldRow => {
    if (row['kind'] === 'trigger') throw new Error('no such shape');
    return { id: row['id'] };
  };
  const failing = {
    ...later,
    conversions: [{ version: SCHEMA_VERSION + 1, table: 'log', convert }],
  } as const;
  const said = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  await expect(openAs(name, failing)).rejects.toThrow('abort');
  expect(said).toHaveBeenCalledWith(expect.any(String), new Error('no such shape'));
  said.mockRestore();
  expect(await rowsOf(name)).toEqual(before);
});

test('a database is made as a whole by the version that first opens it', async () => {
  const database = await openAs('made-later', later);
  expect([...database.objectStoreNames].sort()).toEqual([...tableNames(), 'inbox', 'meta', 'salt'].sort());
  database.close();
});
