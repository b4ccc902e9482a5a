import { openDB, type IDBPDatabase, type IDBPTransaction } from 'idb';
import {
  tableNames,
  type IndexKey,
  type IndexName,
  type ReadTransaction,
  type Rows,
  type Store,
  type Table,
  type TableName,
  type Transaction,
} from '../../src/store/store';
import { abort, schemaVersion, stored, upgrade, type Schema, type Stored } from './idb-schema';

/** Single values stored beside the tables. */
export type MetaKey = 'settings' | 'clock' | 'forcedState' | 'limits' | 'trial' | 'policy' | 'agreement';

const LAST_ID = 'lastId';

/** The ids of rows that a transaction put or deleted, by table; `all` for an emptied table. */
export type Changes = ReadonlyMap<TableName, ReadonlySet<number> | 'all'>;
type Noted = Map<TableName, Set<number> | 'all'>;

function note(noted: Noted, table: TableName, id: number): void {
  const ids = noted.get(table);
  if (ids === undefined) noted.set(table, new Set([id]));
  else if (ids !== 'all') ids.add(id);
}

/** The extension's store. It holds everything that must survive the end of the background. */
export class IdbStore implements Store {
  /** Cached, because IndexedDB counts by reading every key. */
  private readonly counted = new Map<TableName, Map<string, number>>();

  private constructor(
    private readonly database: IDBPDatabase<Schema>,
    private readonly onChange: (changes: Changes) => void,
  ) {}

  /** @param onChange called after each transaction that changed something */
  static async open(
    name = 'cointoss',
    onChange: (changes: Changes) => void = () => undefined,
  ): Promise<IdbStore> {
    const database = await openDB<Schema>(name, schemaVersion(), {
      upgrade: (_database, oldVersion, _newVersion, transaction) => upgrade(transaction, oldVersion),
      // An open page must not block the upgrade by a newer version of Cointoss.
      blocking: (_current, _wanted, event) => (event.target as IDBDatabase).close(),
    });
    return new IdbStore(database, onChange);
  }

  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.run('readwrite', work);
  }

  read<T>(work: (transaction: ReadTransaction) => Promise<T>): Promise<T> {
    return this.run('readonly', work);
  }

  /** The number of rows. It is cached, so only the one writer, the background, gets the right number. */
  count(name: TableName): Promise<number> {
    return this.countOnce(name, '', () => this.database.count(name));
  }

  /** As `count`, for the keys in an index, or for one of its keys. */
  countKeys<Name extends TableName>(name: Name, index: IndexName<Name>, key?: IndexKey): Promise<number> {
    const of = key === undefined ? index : `${index} ${key}`;
    return this.countOnce(name, of, async () => {
      const inTable = this.database.transaction(name).store as unknown as ObjectTable<Stored<Name>>;
      return inTable.index(index).count(key);
    });
  }

  private async countOnce(name: TableName, of: string, count: () => Promise<number>): Promise<number> {
    const known = this.counted.get(name) ?? new Map<string, number>();
    this.counted.set(name, known);
    const counted = known.get(of) ?? (await count());
    known.set(of, counted);
    return counted;
  }

  /** Ascending. */
  async ids(name: TableName): Promise<readonly number[]> {
    return this.database.getAllKeys(name);
  }

  /** The rows with ids from `first` to `last`, ascending. Reads this table only, so it does not wait for writers of others. */
  async range<Name extends TableName>(name: Name, first: number, last: number): Promise<Rows[Name][]> {
    const found = await this.database.getAll(name, IDBKeyRange.bound(first, last));
    return found.map(({ row }) => row as Rows[Name]);
  }

  /** The `most` rows with the highest ids, descending, without reading any others. */
  async newest<Name extends TableName>(name: Name, most: number): Promise<Rows[Name][]> {
    const rows: Rows[Name][] = [];
    let cursor = await this.database.transaction(name).store.openCursor(null, 'prev');
    for (; cursor !== null && rows.length < most; cursor = await cursor.continue())
      rows.push(cursor.value.row as Rows[Name]);
    return rows;
  }

  /** Null if it was never set. */
  async getMeta(key: MetaKey): Promise<unknown> {
    return (await this.database.get('meta', key)) ?? null;
  }

  async setMeta(key: MetaKey, value: unknown): Promise<void> {
    await this.database.put('meta', value, key);
  }

  close(): void {
    this.database.close();
  }

  private announce(changes: Changes): void {
    if (changes.size === 0) return;
    for (const table of changes.keys()) this.counted.delete(table);
    this.onChange(changes);
  }

  private async run<T>(mode: IDBTransactionMode, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    // Strict: a report must be on disk before it is forgotten, and a registration before it is acknowledged.
    const transaction = this.database.transaction([...tableNames(), 'meta'], mode, { durability: 'strict' });
    const noted: Noted = new Map();
    try {
      const result = await work({
        table: (name) => tableIn(transaction, name, noted),
        nextId: () => nextId(transaction),
      });
      await transaction.done;
      this.announce(noted);
      return result;
    } catch (error) {
      abort(transaction);
      throw error;
    }
  }
}

type AnyTransaction = IDBPTransaction<Schema, (TableName | 'meta')[], IDBTransactionMode>;

async function nextId(transaction: AnyTransaction): Promise<number> {
  const meta = transaction.objectStore('meta');
  const id = (((await meta.get(LAST_ID)) as number | undefined) ?? 0) + 1;
  await (meta as unknown as { put(value: unknown, key: string): Promise<string> }).put(id, LAST_ID);
  return id;
}

function tableIn<Name extends TableName>(transaction: AnyTransaction, name: Name, noted: Noted): Table<Name> {
  // The schema ties each name to its rows, but TypeScript loses that over a type parameter.
  const table = transaction.objectStore(name) as unknown as ObjectTable<Stored<Name>>;
  const rows = (stored: readonly Stored<Name>[]): Rows[Name][] => stored.map(({ row }) => row);
  const index = (indexName: IndexName<Name>): ObjectIndex<Stored<Name>> => table.index(indexName);
  return {
    get: async (id) => (await table.get(id))?.row,
    put: async (row) => {
      note(noted, name, row.id);
      await table.put(stored(name, row));
    },
    delete: (id) => {
      note(noted, name, id);
      return table.delete(id);
    },
    where: async (indexName, key) => rows(await index(indexName).getAll(key)),
    countWhere: (indexName, key) => index(indexName).count(key),
    upTo: async (indexName, last) => rows(await index(indexName).getAll(IDBKeyRange.upperBound(last))),
    first: async (indexName) => (await index(indexName).openCursor())?.value.row,
    latest: async (limit, before = Infinity) => {
      const found: Rows[Name][] = [];
      let cursor = await table.openCursor(IDBKeyRange.upperBound(before, true), 'prev');
      for (; cursor !== null && found.length < limit; cursor = await cursor.continue())
        found.push(cursor.value.row);
      return found;
    },
    count: () => table.count(),
    clear: () => {
      noted.set(name, 'all');
      return table.clear();
    },
  };
}

/** The part of idb's object stores and indexes that is used. */
interface ObjectIndex<Value> {
  getAll(query: IDBValidKey | IDBKeyRange): Promise<Value[]>;
  count(query?: IDBValidKey): Promise<number>;
  openCursor(query?: IDBKeyRange, direction?: IDBCursorDirection): Promise<Cursor<Value> | null>;
}

interface ObjectTable<Value> extends ObjectIndex<Value> {
  get(key: number): Promise<Value | undefined>;
  put(value: Value): Promise<unknown>;
  delete(key: number): Promise<void>;
  clear(): Promise<void>;
  index(name: string): ObjectIndex<Value>;
}

interface Cursor<Value> {
  readonly value: Value;
  continue(): Promise<Cursor<Value> | null>;
}
