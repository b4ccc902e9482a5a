import { unwrap, type IDBPTransaction } from 'idb';
import { Draft, NotLoaded, type Need } from '../../src/store/draft';
import type { IdOf, IndexName, Rows, Table, TableName, Transaction } from '../../src/store/store';
import { LoadedRows } from './loaded-rows';
import { REGISTERED, stored, type Schema, type Stored } from './idb-schema';
import { isCounted, Ledger, type LedgerStore } from './ledger';
import type { LedgerMemory } from './ledger-memory';

export type StoreName = TableName | 'meta';
type AnyTransaction = IDBPTransaction<Schema, StoreName[], IDBTransactionMode>;

/** The ids of rows that a transaction put or deleted, by table; `all` for an emptied table. */
export type Changes = ReadonlyMap<TableName, ReadonlySet<IdOf<TableName>> | 'all'>;

const LAST_ID = 'lastId';

/**
 * A transaction of IndexedDB as the engine sees it. It sends what it writes to the browser, and waits for no answer before the end: an answer
 * takes longer than the work, and the browser does in order what it is asked. A write that fails undoes the transaction.
 */
export class OpenTransaction implements Transaction {
  readonly changes = new Map<TableName, Set<IdOf<TableName>> | 'all'>();
  readonly ledger: Ledger;
  /** The reads of replaced and deleted rows, which the ledger needs. */
  private readonly replaced: Promise<void>[] = [];
  /** Rows with ids of this transaction: whatever they replace is its own. */
  private readonly added = new Map<TableName, Map<IdOf<TableName>, Rows[TableName]>>();
  private readonly loaded: LoadedRows;
  /** The ledger's numbers as this transaction knows them. */
  private readonly noted = new Map<string, number | undefined>();
  private hasChangedLedger = false;
  /** Rows of the inbox. */
  private readonly registered: number[] = [];
  private lastId: number;

  private lastIdBefore = NaN;

  private constructor(
    private readonly transaction: AnyTransaction,
    private readonly memory: LedgerMemory,
    private readonly registeredBefore: Set<number>,
  ) {
    this.lastId = NaN;
    this.ledger = new Ledger(this.ledgerStore());
    this.loaded = new LoadedRows({
      row: (table, id) => this.read(table, id),
      candidates: (key) => this.table('sources').where('candidate', key),
      isNew: (id) => typeof id === 'number' && id > this.lastIdBefore,
    });
  }

  /**
   * @param memory that of the database.
   * @param needs what the work will look at.
   * @param registered the rows of the inbox that earlier transactions registered.
   */
  static async of(
    transaction: AnyTransaction,
    memory: LedgerMemory,
    needs: readonly Need[] = [],
    registered = new Set<number>(),
  ): Promise<OpenTransaction> {
    const open = new OpenTransaction(transaction, memory, registered);
    if (transaction.mode === 'readonly') return open;
    const [lastId = 0] = await Promise.all([numbersIn(transaction).get(LAST_ID), open.loaded.load(needs)]);
    open.lastId = open.lastIdBefore = lastId;
    return open;
  }

  async decide<T>(needs: readonly Need[], decide: (draft: Draft) => T): Promise<T> {
    await Promise.all([this.loaded.load(needs), ...this.replaced]);
    for (;;) {
      const draft = new Draft(this.loaded, this.lastId);
      try {
        const result = decide(draft);
        this.apply(draft);
        return result;
      } catch (error) {
        if (!(error instanceof NotLoaded)) throw error;
        await this.loaded.load(error.needs);
      }
    }
  }

  private apply(draft: Draft): void {
    // What is replaced must be known, because the ledger counts it.
    draft.require(() =>
      [...draft.changes].flatMap(([of, rows]) => [...rows.keys()].map((id): Need => ({ of, id }))),
    );
    for (const [table, rows] of draft.changes)
      for (const [id, row] of rows) {
        const old = this.loaded.get<TableName>(table, id);
        if (old === undefined && row === null) continue;
        this.noteChange(table, id);
        if (old !== undefined) this.ledger.note<TableName>(table, old, -1);
        if (row === null) this.writing(table).delete(id);
        else {
          this.ledger.note<TableName>(table, row, 1);
          this.writing(table).put(stored<TableName>(table, row));
        }
      }
    this.loaded.apply(draft.changes);
    this.lastId = draft.lastId;
  }

  private async read(table: TableName, id: IdOf<TableName>): Promise<Rows[TableName] | undefined> {
    return (await this.tableOf(table).get(id))?.row;
  }

  /** Call it when the work is done, before the transaction ends. */
  async close(): Promise<void> {
    await Promise.all(this.replaced);
    await this.ledger.close();
    if (this.hasChangedLedger && this.lastId === this.lastIdBefore) this.nextId();
    if (this.lastId > this.lastIdBefore) this.writing('meta').put(this.lastId, LAST_ID);
    if (this.registered.length > 0)
      this.writing('meta').put([...this.registeredBefore, ...this.registered], REGISTERED);
  }

  /** Call it when the transaction is complete. */
  remember(): void {
    this.memory.keep(this.noted, { before: this.lastIdBefore, after: this.lastId });
    for (const id of this.registered) this.registeredBefore.add(id);
  }

  /** Notes that a row of the inbox is registered. @returns false if it was before */
  noteRegistered(id: number): boolean {
    if (this.registeredBefore.has(id)) return false;
    this.registered.push(id);
    return true;
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
      get: async (id) => (this.loaded.has(name, id) ? this.loaded.get(name, id) : (await table.get(id))?.row),
      has: async (id) =>
        this.loaded.has(name, id) ? this.loaded.get(name, id) !== undefined : (await table.count(id)) > 0,
      put: (row) => {
        this.noteOld(name, row.id);
        this.loaded.write(name, row.id, row);
        this.writing(name).put(stored(name, row));
        this.ledger.note(name, row, 1);
        if (this.isOwn(row.id)) this.addedTo(name).set(row.id, row);
      },
      delete: (id) => {
        this.noteOld(name, id);
        this.loaded.write(name, id, null);
        this.writing(name).delete(id);
      },
      where: async (indexName, key) => rows(await index(indexName).getAll(key)),
      countWhere: (indexName, key) => index(indexName).count(key),
      upTo: async (indexName, last) => rows(await index(indexName).getAll(IDBKeyRange.upperBound(last))),
      first: async (indexName, after = -Infinity) =>
        (await index(indexName).openCursor(IDBKeyRange.lowerBound(after, true)))?.value.row,
      latest: async (limit, before = Infinity) => {
        const found: Rows[Name][] = [];
        const range = before === Infinity ? undefined : IDBKeyRange.upperBound(before, true);
        let cursor = await table.openCursor(range, 'prev');
        for (; cursor !== null && found.length < limit; cursor = await cursor.continue())
          found.push(cursor.value.row);
        return found;
      },
      count: () => table.count(),
      clear: async () => {
        this.changes.set(name, 'all');
        this.loaded.clear(name);
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

  private noteOld(name: TableName, id: IdOf<TableName>): void {
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
  private isOwn(id: IdOf<TableName>): boolean {
    return typeof id === 'number' && id > this.lastIdBefore && id <= this.lastId;
  }

  private addedTo(name: TableName): Map<IdOf<TableName>, Rows[TableName]> {
    const added = this.added.get(name) ?? new Map<IdOf<TableName>, Rows[TableName]>();
    this.added.set(name, added);
    return added;
  }

  private noteChange(name: TableName, id: IdOf<TableName>): void {
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
  get(key: IDBValidKey): Promise<Value | undefined>;
  index(name: string): ObjectIndex<Value>;
}

interface Cursor<Value> {
  readonly key: string;
  readonly value: Value;
  continue(): Promise<Cursor<Value> | null>;
}
