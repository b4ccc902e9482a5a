import { unwrap, type IDBPTransaction } from 'idb';
import {
  groupOf,
  type IndexKey,
  type IndexName,
  type KeyedRow,
  type KeyRange,
  type Rows,
  type Table,
  type TableName,
  type Transaction,
} from '../../src/store/store';
import { stored, type Schema, type Stored } from './idb-schema';
import { isCounted, Ledger, type LedgerStore } from './ledger';
import type { LedgerMemory } from './ledger-memory';

export type StoreName = TableName | 'meta';
type AnyTransaction = IDBPTransaction<Schema, StoreName[], IDBTransactionMode>;

/** The ids of rows that a transaction put or deleted, by table; `all` for an emptied table. */
export type Changes = ReadonlyMap<TableName, ReadonlySet<number> | 'all'>;

const LAST_ID = 'lastId';

/**
 * A transaction of IndexedDB as the engine sees it. It sends what it writes to the browser, and waits for no answer before the end: an answer
 * takes longer than the work, and the browser does in order what it is asked. A write that fails undoes the transaction.
 */
export class OpenTransaction implements Transaction {
  readonly changes = new Map<TableName, Set<number> | 'all'>();
  readonly ledger: Ledger;
  /** The reads of replaced and deleted rows, which the ledger needs. */
  private readonly replaced: Promise<void>[] = [];
  /** Rows with ids of this transaction: whatever they replace is its own. */
  private readonly added = new Map<TableName, Map<number, Rows[TableName]>>();
  /** The ledger's numbers as this transaction knows them. */
  private readonly noted = new Map<string, number | undefined>();
  private hasChangedLedger = false;
  private lastId: number;

  private constructor(
    private readonly transaction: AnyTransaction,
    private readonly lastIdBefore: number,
    private readonly memory: LedgerMemory,
  ) {
    this.lastId = lastIdBefore;
    this.ledger = new Ledger(this.ledgerStore());
  }

  /** @param memory that of the database. */
  static async of(transaction: AnyTransaction, memory: LedgerMemory): Promise<OpenTransaction> {
    const lastId = transaction.mode === 'readonly' ? NaN : await numbersIn(transaction).get(LAST_ID);
    return new OpenTransaction(transaction, lastId ?? 0, memory);
  }

  /** Call it when the work is done, before the transaction ends. */
  async close(): Promise<void> {
    await Promise.all(this.replaced);
    await this.ledger.close();
    if (this.hasChangedLedger && this.lastId === this.lastIdBefore) this.nextId();
    if (this.lastId > this.lastIdBefore) this.writing('meta').put(this.lastId, LAST_ID);
  }

  /** Call it when the transaction is complete. */
  remember(): void {
    this.memory.keep(this.noted, { before: this.lastIdBefore, after: this.lastId });
  }

  nextId(): number {
    return ++this.lastId;
  }

  hasChanged(name: TableName): boolean {
    return this.changes.has(name);
  }

  table<Name extends TableName>(name: Name): Table<Name> {
    const table = this.tableOf(name);
    const rows = (found: readonly Stored<Name>[]): Rows[Name][] => found.map(({ row }) => row);
    const index = (indexName: IndexName<Name>): ObjectIndex<Stored<Name>> => table.index(indexName);
    return {
      get: async (id) => (await table.get(id))?.row,
      has: async (id) => (await table.count(id)) > 0,
      put: (row) => {
        this.noteOld(name, row.id);
        this.writing(name).put(stored(name, row));
        this.ledger.note(name, row, 1);
        if (this.isOwn(row.id)) this.addedTo(name).set(row.id, row);
      },
      delete: (id) => {
        this.noteOld(name, id);
        this.writing(name).delete(id);
      },
      where: async (indexName, keys) => rows(await index(indexName).getAll(queryOf(keys))),
      countWhere: async (indexName, keys) => {
        await Promise.all(this.replaced);
        const noted = typeof keys === 'object' ? null : await this.ledger.countWhere(name, indexName, keys);
        return noted ?? index(indexName).count(queryOf(keys));
      },
      lastOfEach: async (indexName, range) => {
        const found: KeyedRow<Name>[] = [];
        let { below } = range;
        while (below > range.above) {
          // A new cursor for each, because Chrome's go back to a key row by row.
          const cursor = await index(indexName).openCursor(queryOf({ ...range, below }), 'prev');
          if (cursor === null) break;
          found.push({ key: cursor.key, row: cursor.value.row });
          below = groupOf(cursor.key);
        }
        return found;
      },
      upTo: async (indexName, last) => rows(await index(indexName).getAll(IDBKeyRange.upperBound(last))),
      first: async (indexName, after = -Infinity) =>
        (await index(indexName).openCursor(IDBKeyRange.lowerBound(after, true)))?.value.row,
      latest: async (limit, before = Infinity) => {
        const found: Rows[Name][] = [];
        let cursor = await table.openCursor(IDBKeyRange.upperBound(before, true), 'prev');
        for (; cursor !== null && found.length < limit; cursor = await cursor.continue())
          found.push(cursor.value.row);
        return found;
      },
      count: () => table.count(),
      clear: async () => {
        this.changes.set(name, 'all');
        await Promise.all(this.replaced);
        await this.ledger.clear(name);
        this.writing(name).clear();
      },
    };
  }

  /** The schema ties each name to its rows, but TypeScript loses that over a type parameter. */
  private tableOf<Name extends TableName>(name: Name): ObjectTable<Stored<Name>> {
    return this.transaction.objectStore(name) as unknown as ObjectTable<Stored<Name>>;
  }

  /** To write without waiting for an answer. A failure undoes the transaction, which then says why. */
  private writing(name: StoreName): IDBObjectStore {
    return unwrap(this.transaction).objectStore(name);
  }

  private noteOld(name: TableName, id: number): void {
    this.noteChange(name, id);
    if (!isCounted(name)) return;
    if (this.isOwn(id)) {
      const added = this.addedTo(name);
      const old = added.get(id);
      if (old !== undefined) this.ledger.note<TableName>(name, old, -1);
      added.delete(id);
      return;
    }
    const noted = this.tableOf(name)
      .get(id)
      .then((old) => {
        if (old !== undefined) this.ledger.note(name, old.row, -1);
      });
    // If it fails, so does the transaction.
    noted.catch(() => undefined);
    this.replaced.push(noted);
  }

  /** Whether this transaction gave out the id, so that the database has no row with it. */
  private isOwn(id: number): boolean {
    return id > this.lastIdBefore && id <= this.lastId;
  }

  private addedTo(name: TableName): Map<number, Rows[TableName]> {
    const added = this.added.get(name) ?? new Map<number, Rows[TableName]>();
    this.added.set(name, added);
    return added;
  }

  private noteChange(name: TableName, id: number): void {
    const ids = this.changes.get(name);
    if (ids === undefined) this.changes.set(name, new Set([id]));
    else if (ids !== 'all') ids.add(id);
  }

  private get numbers(): Numbers {
    return numbersIn(this.transaction);
  }

  private async number(key: string): Promise<number | undefined> {
    if (this.noted.has(key)) return this.noted.get(key);
    const known = this.memory.get(key, this.lastIdBefore);
    const number = known === undefined ? await this.numbers.get(key) : known.number;
    // It may have changed meanwhile.
    if (!this.noted.has(key)) this.noted.set(key, number);
    return this.noted.get(key);
  }

  private noteNumber(key: string, number: number | undefined): void {
    this.hasChangedLedger = true;
    this.noted.set(key, number);
  }

  private ledgerStore(): LedgerStore {
    const { numbers } = this;
    return {
      get: (key) => this.number(key),
      set: (key, bytes) => {
        this.noteNumber(key, bytes);
        this.writing('meta').put(bytes, key);
      },
      delete: (key) => {
        this.noteNumber(key, undefined);
        this.writing('meta').delete(key);
      },
      from: async (prefix) => {
        const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`);
        const [keys, bytes] = await Promise.all([numbers.getAllKeys(range), numbers.getAll(range)]);
        return new Map(keys.map((key, index) => [key, bytes[index] ?? 0]));
      },
      rowsAfter: async (name, id, limit) => {
        const found = await this.transaction
          .objectStore(name)
          .getAll(IDBKeyRange.lowerBound(id, true), limit);
        return found.map(({ row }) => row);
      },
      remove: (name, id) => {
        this.noteChange(name, id);
        this.writing(name).delete(id);
      },
    };
  }
}

/** The part of `meta` that holds numbers. */
const numbersIn = (transaction: AnyTransaction): Numbers =>
  transaction.objectStore('meta') as unknown as Numbers;

const queryOf = (keys: IndexKey | KeyRange): IDBValidKey | IDBKeyRange =>
  typeof keys === 'object' ? IDBKeyRange.bound(keys.above, keys.below, true, true) : keys;

/** The part of idb's object stores and indexes that is used. */
interface ObjectIndex<Value> {
  getAll(query: IDBValidKey | IDBKeyRange): Promise<Value[]>;
  count(query?: IDBValidKey | IDBKeyRange): Promise<number>;
  openCursor(
    query?: IDBValidKey | IDBKeyRange,
    direction?: IDBCursorDirection,
  ): Promise<Cursor<Value> | null>;
  openKeyCursor(query: null, direction: IDBCursorDirection): Promise<{ readonly key: IDBValidKey } | null>;
}

interface Numbers {
  get(key: string): Promise<number | undefined>;
  getAll(range: IDBKeyRange): Promise<number[]>;
  getAllKeys(range: IDBKeyRange): Promise<string[]>;
}

export interface ObjectTable<Value> extends ObjectIndex<Value> {
  get(key: number): Promise<Value | undefined>;
  index(name: string): ObjectIndex<Value>;
}

interface Cursor<Value> {
  readonly key: string;
  readonly value: Value;
  continue(): Promise<Cursor<Value> | null>;
}
