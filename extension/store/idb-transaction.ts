import { wrap } from 'idb';
import { BufferedDraft, NotLoaded, type Draft, type Need, type RangeNeed } from '../../src/store/draft';
import type { InternalId } from '../../src/model/records';
import type { IdOf, IndexName, Rows, TableName } from '../../src/store/rows';
import type { Table, Transaction } from '../../transactions/store';
import { LoadedRows, type CandidateLists } from './loaded-rows';
import type { Hide } from './hidden-names';
import { COUNTERS, newCounters, stored, type Counters, type Stored } from './idb-schema';
import type { InboxStore } from './inbox-store';
import { resultOf } from './requests';
import { StoredAccounts, type StoreName } from './stored-accounts';
import { noNewIds, TransactionIds } from './transaction-ids';
import { isCounted, StorageQuotas, siteOfNeed, type RoomFor } from './storage-quotas';

/** The ids of rows that a transaction put or deleted, by table; `all` for an emptied table. */
export type Changes = ReadonlyMap<TableName, ReadonlySet<IdOf<TableName>> | 'all'>;

/**
 * A transaction of IndexedDB as the engine sees it. It sends what it writes to the browser, and waits for no answer before the end: an answer
 * takes longer than the work, and the browser does in order what it is asked. A write that fails undoes the transaction.
 */
export class OpenTransaction implements Transaction {
  readonly changes = new Map<TableName, Set<IdOf<TableName>> | 'all'>();
  private readonly quotas: StorageQuotas;
  /** The reads of replaced and deleted rows, which the quotas need. */
  private readonly replaced: Promise<void>[] = [];
  private readonly loaded: LoadedRows;
  private readonly accounts: StoredAccounts;
  /** Null in a transaction that only reads. */
  private before: Counters | null = null;
  private ids = noNewIds();
  private isRenewed = false;

  /** The rows of the inbox that it registers. */
  private readonly registered: number[] = [];

  private constructor(
    private readonly transaction: IDBTransaction,
    private readonly hide: Hide,
    private readonly inbox: Pick<InboxStore, 'note' | 'stillThere'>,
    known: CandidateLists,
  ) {
    this.accounts = new StoredAccounts(transaction, hide, (table, id) => this.noteChange(table, id));
    this.quotas = new StorageQuotas(this.accounts);
    const reader = {
      row: (table: TableName, id: IdOf<TableName>) => this.read(table, id),
      candidates: (key: string) => this.table('sources').where('candidate', key),
      // Each index is one of that table; TypeScript cannot say so.
      upTo: ({ of, index, upTo }: RangeNeed) => this.table(of as 'spends').upTo(index as 'end', upTo),
      isNew: (table: TableName, id: IdOf<TableName>) => this.ids.isNew(table, id),
    };
    this.loaded = new LoadedRows(reader, known);
  }

  /**
   * @param needs what the work will look at
   * @param known candidates as they are in the database when the transaction begins
   */
  static async of(
    transaction: IDBTransaction,
    hide: Hide,
    inbox: Pick<InboxStore, 'note' | 'stillThere'>,
    needs: readonly Need[] = [],
    known: CandidateLists = new Map(),
  ): Promise<OpenTransaction> {
    const open = new OpenTransaction(transaction, hide, inbox, known);
    if (transaction.mode === 'readonly') return open;
    const counters = transaction.objectStore('meta').get(COUNTERS);
    const [before = newCounters()] = await Promise.all([
      resultOf<Counters | undefined>(counters),
      open.load(needs),
    ]);
    open.before = before;
    open.ids = new TransactionIds(before.given, before.idKey);
    open.accounts.total = before.bytes;
    return open;
  }

  /** Those that the work has needed, and those that were known, as it leaves them. */
  get candidateLists(): CandidateLists {
    return this.loaded.candidateLists;
  }

  /** Loads what a decision looks at, and the bytes of the sites whose rows it may change. */
  private async load(needs: readonly Need[]): Promise<void> {
    const sites = needs.map(siteOfNeed).filter((site) => site !== null);
    await Promise.all([this.loaded.load(needs), ...sites.map((site) => this.accounts.account(site))]);
  }

  async decide<T>(needs: readonly Need[], decide: (draft: Draft) => T): Promise<T> {
    await Promise.all([this.load(needs), ...this.replaced]);
    for (;;) {
      const draft = new BufferedDraft(this.loaded, this.ids.given, this.ids.idOf);
      try {
        const result = decide(draft);
        this.apply(draft);
        return result;
      } catch (error) {
        if (!(error instanceof NotLoaded)) throw error;
        await this.load(error.needs);
      }
    }
  }

  private apply(draft: BufferedDraft): void {
    // What is replaced must be known, because the quotas count it.
    draft.require(() =>
      [...draft.changes].flatMap(([of, rows]) => [...rows.keys()].map((id): Need => ({ of, id }))),
    );
    for (const [table, rows] of draft.changes)
      for (const [id, row] of rows) {
        const old = this.loaded.get<TableName>(table, id);
        if (old === undefined && row === null) continue;
        this.noteChange(table, id);
        if (old !== undefined) this.quotas.note<TableName>(table, old, -1);
        if (row === null) this.writing(table).delete(this.hide(id));
        else {
          this.quotas.note<TableName>(table, row, 1);
          this.writing(table).put(stored<TableName>(table, row, this.hide));
        }
      }
    this.loaded.apply(draft.changes);
    this.ids.given = draft.given;
  }

  private async read(table: TableName, id: IdOf<TableName>): Promise<Rows[TableName] | undefined> {
    const found = this.transaction.objectStore(table).get(this.hide(id));
    return (await resultOf<Stored<TableName> | undefined>(found))?.row;
  }

  /** Call it when the work is done, before the transaction ends. */
  async close(): Promise<void> {
    await Promise.all(this.replaced);
    await this.quotas.close();
    const { before, ids } = this;
    if (before === null) return;
    const { total: bytes } = this.accounts;
    const isChanged = ids.isChanged || bytes !== before.bytes || this.isRenewed;
    if (isChanged || this.registered.length > 0) {
      const registered = [...this.inbox.stillThere(before.registered, this.registered), ...this.registered];
      this.writing('meta').put(
        { ...before, given: ids.given, bytes, registered } satisfies Counters,
        COUNTERS,
      );
    }
  }

  /** Notes that a row of the inbox is registered. @returns false if it was before */
  noteRegistered(id: number): boolean {
    if (this.before?.registered.includes(id) === true) return false;
    this.registered.push(id);
    this.inbox.note(id);
    return true;
  }

  async hasRoom(site: string, of: RoomFor): Promise<boolean> {
    await Promise.all(this.replaced);
    return this.quotas.hasRoom(site, of);
  }

  setMeta(key: string, value: unknown): void {
    this.writing('meta').put(value, key);
  }

  nextId(): InternalId {
    return this.ids.next();
  }

  /** Writes what is there already, so that the browser has something to write to the disk. */
  renew(): void {
    this.isRenewed = true;
  }

  hasChanged(name: TableName): boolean {
    return this.changes.has(name);
  }

  table<Name extends TableName>(name: Name): Table<Name> {
    const table = this.transaction.objectStore(name);
    const rowsIn = async (
      indexName: IndexName<Name>,
      range: IDBValidKey | IDBKeyRange,
      limit?: number,
    ): Promise<Rows[Name][]> => {
      const found = table.index(indexName).getAll(range, limit);
      return (await resultOf<Stored<Name>[]>(found)).map(({ row }) => row);
    };
    return {
      get: async (id) =>
        this.loaded.has(name, id)
          ? this.loaded.get(name, id)
          : ((await this.read(name, id)) as Rows[Name] | undefined),
      put: (row) => {
        this.noteOld(name, row.id);
        this.ids.noteRow(name, row.id);
        this.loaded.write(name, row.id, row);
        this.writing(name).put(stored(name, row, this.hide));
        this.quotas.note(name, row, 1);
      },
      delete: (id) => {
        this.noteOld(name, id);
        this.loaded.write(name, id, null);
        this.writing(name).delete(this.hide(id));
      },
      where: (indexName, key) => rowsIn(indexName, this.hide(key)),
      countWhere: (indexName, key) => resultOf(table.index(indexName).count(this.hide(key))),
      upTo: (indexName, last) => rowsIn(indexName, IDBKeyRange.upperBound(last)),
      first: async (indexName, after = -Infinity) =>
        (await rowsIn(indexName, IDBKeyRange.lowerBound(after, true), 1))[0],
      latest: async (limit, before = Infinity) => {
        const found: Rows[Name][] = [];
        const range = before === Infinity ? undefined : IDBKeyRange.upperBound(before, true);
        const walked = wrap(table) as unknown as ObjectTable<Stored<Name>>;
        let cursor = await walked.openCursor(range, 'prev');
        for (; cursor !== null && found.length < limit; cursor = await cursor.continue())
          found.push(cursor.value.row);
        return found;
      },
      count: () => resultOf(table.count()),
      clear: async () => {
        this.changes.set(name, 'all');
        this.loaded.clear(name);
        await Promise.all(this.replaced);
        await this.quotas.clear(name);
        this.writing(name).clear();
      },
    };
  }

  /** To write without waiting for an answer. A failure undoes the transaction, which then says why. */
  private writing(name: StoreName): IDBObjectStore {
    return this.transaction.objectStore(name);
  }

  private noteOld(name: TableName, id: IdOf<TableName>): void {
    this.noteChange(name, id);
    if (!isCounted(name)) return;
    if (this.loaded.has(name, id)) {
      const old = this.loaded.get(name, id);
      if (old !== undefined) this.quotas.note<TableName>(name, old, -1);
      return;
    }
    const noted = this.read(name, id).then((old) => {
      if (old !== undefined) this.quotas.note<TableName>(name, old, -1);
    });
    // If it fails, so does the transaction.
    noted.catch(() => undefined);
    this.replaced.push(noted);
  }

  private noteChange(name: TableName, id: IdOf<TableName>): void {
    const ids = this.changes.get(name);
    if (ids === undefined) this.changes.set(name, new Set([id]));
    else if (ids !== 'all') ids.add(id);
  }
}

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

export interface ObjectTable<Value> extends ObjectIndex<Value> {
  get(key: IDBValidKey): Promise<Value | undefined>;
  index(name: string): ObjectIndex<Value>;
}

interface Cursor<Value> {
  readonly key: string;
  readonly value: Value;
  continue(): Promise<Cursor<Value> | null>;
}
