import { openDB, unwrap, type IDBPDatabase } from 'idb';
import { tableNames, type IndexKey, type IndexName, type Rows, type TableName } from '../../src/store/rows';
import type { ReadTransaction, Store, Transaction } from '../../transactions/store';
import type { Need } from '../../src/store/draft';
import { CandidateCache } from './candidate-cache';
import { fromSpare, hasSpare, mergeFiles, replaceDatabase, type KeyAndValue } from './idb-spare';
import { InboxStore } from './inbox-store';
import type { Hide } from './hidden-names';
import { abort, hidingIn, rekeyed, upgrade, type Schema, type Stored } from './idb-schema';
import { SCHEMA_VERSION } from './upgrades';
import { OpenTransaction, type Changes, type ObjectTable } from './idb-transaction';
import type { RoomFor } from './storage-quotas';
import { completionOf } from './requests';
import { SharedWrites } from './shared-writes';
import type { StoreName } from './stored-accounts';

/** Single values stored beside the tables. */
export type MetaKey =
  | 'settings'
  | 'clock'
  | 'forcedState'
  | 'limits'
  | 'trial'
  | 'policy'
  | 'agreement'
  | 'addressees'
  | 'tokens'
  | 'accounting'
  | 'w3cLimits'
  | 'liftSecret'
  | 'liftTestEnded';

/** The extension's store. It holds everything that must survive the end of the background. */
export class IdbStore implements Store {
  /** Cached, because IndexedDB counts by reading every key. */
  private readonly counted = new Map<TableName, Map<string, number>>();
  /** Null after another page or the background asked to upgrade or delete the database. */
  private opened: Promise<IDBPDatabase<Schema>> | null = null;
  private readonly hiding = new WeakMap<IDBPDatabase<Schema>, Hide>();
  /** Whether the end of the device could undo what was written. */
  private mayBeLost = false;
  private readonly candidates = new CandidateCache();
  /** How many writing transactions are open. The browser runs them one after the other. */
  private writing = 0;
  private readonly soon = new SharedWrites((work, needs) => this.run('readwrite', 'relaxed', work, needs));
  readonly inbox = new InboxStore(() => this.database());

  private constructor(
    private readonly name: string,
    private readonly onChange: (changes: Changes) => void,
  ) {}

  /** @param onChange called after each transaction that changed something */
  static async open(
    name = 'cointoss',
    onChange: (changes: Changes) => void = () => undefined,
  ): Promise<IdbStore> {
    const store = new IdbStore(name, onChange);
    await store.database();
    return store;
  }

  private database(): Promise<IDBPDatabase<Schema>> {
    return (this.opened ??= this.connect().catch((error: unknown) => {
      // The next one tries again.
      this.opened = null;
      throw error;
    }));
  }

  private async connect(): Promise<IDBPDatabase<Schema>> {
    this.candidates.clear();
    const database = await openDB<Schema>(this.name, SCHEMA_VERSION, {
      upgrade: (_database, oldVersion, _newVersion, transaction) => upgrade(transaction, oldVersion),
      // An open page must block neither the upgrade by a newer version of Cointoss, nor erasing.
      blocking: (_current, _wanted, event) => {
        this.opened = null;
        (event.target as IDBDatabase).close();
      },
      // The browser closes it when the disk fails, or a person clears what it stored.
      terminated: () => {
        this.opened = null;
      },
    });
    this.hiding.set(database, await hidingIn(database));
    return database;
  }

  private hideIn(database: IDBPDatabase<Schema>): Hide {
    const hide = this.hiding.get(database);
    if (hide === undefined) throw new TypeError('not a database of this store');
    return hide;
  }

  /**
   * Lets nothing of deleted rows stay on the disk: browsers keep those in their files until they tidy up. Reads and writes wait meanwhile. If the
   * background stops before the end, `finishReplacing` goes on.
   */
  async replace(): Promise<void> {
    const { saved, opened } = replaceDatabase(
      this.name,
      this.database(),
      allStores(),
      () => this.connect(),
      this.rekey,
    );
    this.opened = opened;
    await Promise.all([saved, opened]);
  }

  private readonly rekey = (database: IDBPDatabase<Schema>, table: string, one: KeyAndValue): KeyAndValue =>
    rekeyed(table, one, this.hideIn(database));

  /** To be called before rows are deleted that are to be replaced, and again some time after `replace`. */
  mergeFiles(): Promise<void> {
    return mergeFiles(this.name);
  }

  /** Only for the background, which is the only one to write. */
  async finishReplacing(): Promise<void> {
    if (!(await hasSpare(this.name))) return;
    (await this.database()).close();
    this.opened = fromSpare(this.name, () => this.connect(), this.rekey);
    await this.opened;
  }

  write<T>(work: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    // The end of a report must be on the disk before it counts, so that it is sent no second time.
    return this.run('readwrite', 'strict', work);
  }

  /** Resolves when all that was written is on the disk. */
  async flush(): Promise<void> {
    // It must change something, and browsers write in order.
    if (this.mayBeLost) await this.write((tx) => opened(tx).renew());
  }

  /**
   * As `write`, but what comes up at the same time shares a transaction, and nothing waits for the disk: the rows survive the end of the
   * background and of the browser, but that of the device only after `flush`, the next `write` or some seconds. A flood of registrations
   * would else keep the disk busy, and all others waiting for it.
   * @param needs what the work will look at, which is loaded together with what the others need
   */
  writeSoon<T>(work: (transaction: Transaction) => T | Promise<T>, needs: readonly Need[] = []): Promise<T> {
    return this.soon.add(work, needs);
  }

  read<T>(work: (transaction: ReadTransaction) => T | Promise<T>): Promise<T> {
    return this.run('readonly', 'default', work);
  }

  /** Whether more of this may be recorded for this top-level site. @param transaction one of this store's */
  async hasRoom(transaction: Transaction, site: string, of: RoomFor): Promise<boolean> {
    return opened(transaction).hasRoom(site, of);
  }

  /**
   * Notes, in the transaction that registers it, that a row of the inbox is registered.
   * @param transaction one of this store's
   * @returns false if an earlier one has registered it
   */
  noteRegistered(transaction: Transaction, id: number): boolean {
    return opened(transaction).noteRegistered(id);
  }

  /** The number of rows. It is cached, so only the one writer, the background, gets the right number. */
  count(name: TableName): Promise<number> {
    return this.countOnce(name, '', async () => (await this.database()).count(name));
  }

  /** As `count`, for the keys in an index, or for one of its keys. */
  countKeys<Name extends TableName>(name: Name, index: IndexName<Name>, key?: IndexKey): Promise<number> {
    const of = key === undefined ? index : `${index} ${key}`;
    return this.countOnce(name, of, async () => {
      const database = await this.database();
      const inTable = database.transaction(name).store as unknown as ObjectTable<Stored<Name>>;
      return inTable.index(index).count(key === undefined ? key : this.hideIn(database)(key));
    });
  }

  /** The greatest key of an index of numbers; null where there is none. */
  async greatestKey<Name extends TableName>(name: Name, index: IndexName<Name>): Promise<number | null> {
    const inTable = (await this.database()).transaction(name).store as unknown as ObjectTable<Stored<Name>>;
    const cursor = await inTable.index(index).openKeyCursor(null, 'prev');
    return typeof cursor?.key === 'number' ? cursor.key : null;
  }

  private async countOnce(name: TableName, of: string, count: () => Promise<number>): Promise<number> {
    const known = this.counted.get(name) ?? new Map<string, number>();
    this.counted.set(name, known);
    const counted = known.get(of) ?? (await count());
    known.set(of, counted);
    return counted;
  }

  /** Ascending. */
  async ids(name: NumberedTable): Promise<readonly number[]> {
    return (await this.database()).getAllKeys(name);
  }

  /** The rows with ids from `first` to `last`, ascending. Reads this table only, so it does not wait for writers of others. */
  async range<Name extends NumberedTable>(name: Name, first: number, last: number): Promise<Rows[Name][]> {
    const found = await (await this.database()).getAll(name, IDBKeyRange.bound(first, last));
    return found.map(({ row }) => row as Rows[Name]);
  }

  /** The `most` rows with the highest ids, descending, without reading any others. */
  async newest<Name extends TableName>(name: Name, most: number): Promise<Rows[Name][]> {
    const rows: Rows[Name][] = [];
    let cursor = await (await this.database()).transaction(name).store.openCursor(null, 'prev');
    for (; cursor !== null && rows.length < most; cursor = await cursor.continue())
      rows.push(cursor.value.row as Rows[Name]);
    return rows;
  }

  /** The `most` finished reports that ended last, the last first. Their numbers are in no order. */
  async lastFinished(most: number): Promise<Rows['finished'][]> {
    const index: IndexName<'finished'> = 'time';
    const inTable = (await this.database()).transaction('finished').store as unknown as ObjectTable<
      Stored<'finished'>
    >;
    const rows: Rows['finished'][] = [];
    // One that noise replaced has a second key, after all times.
    let cursor = await inTable.index(index).openCursor(IDBKeyRange.upperBound(Infinity), 'prev');
    for (; cursor !== null && rows.length < most; cursor = await cursor.continue())
      rows.push(cursor.value.row);
    return rows;
  }

  /** Null if it was never set. */
  async getMeta(key: MetaKey): Promise<unknown> {
    return (await (await this.database()).get('meta', key)) ?? null;
  }

  /**
   * It is on the disk then: an answer of the person, and which report has which token, must outlast the device.
   * @param also what is set with it, or not at all
   */
  async setMeta(
    key: MetaKey,
    value: unknown,
    also: Readonly<Partial<Record<MetaKey, unknown>>> = {},
  ): Promise<void> {
    const transaction = (await this.database()).transaction('meta', 'readwrite', { durability: 'strict' });
    const puts = Object.entries({ ...also, [key]: value }).map(([name, one]) =>
      transaction.store.put(one, name),
    );
    await Promise.all([...puts, transaction.done]);
  }

  /** Sets it to null if it is still this value. */
  async clearMeta(key: MetaKey, value: unknown): Promise<void> {
    const transaction = (await this.database()).transaction('meta', 'readwrite', { durability: 'strict' });
    if ((await transaction.store.get(key)) === value) await transaction.store.put(null, key);
    await transaction.done;
  }

  /** As `setMeta`, together with all else that a transaction does. @param transaction one of this store's */
  setMetaIn(transaction: Transaction, key: MetaKey, value: unknown): void {
    opened(transaction).setMeta(key, value);
  }

  async close(): Promise<void> {
    (await this.database()).close();
  }

  private announce(changes: Changes): void {
    if (changes.size === 0) return;
    for (const table of changes.keys()) this.counted.delete(table);
    this.onChange(changes);
  }

  private async run<T>(
    mode: IDBTransactionMode,
    durability: IDBTransactionDurability,
    work: (transaction: Transaction) => T | Promise<T>,
    needs: readonly Need[] = [],
  ): Promise<T> {
    const database = await this.database();
    const transaction = unwrap(database).transaction(allStores(), mode, { durability });
    const completion = completionOf(transaction);
    const isWriting = mode === 'readwrite';
    // Another one may still change them before this one begins.
    const known = isWriting && this.writing === 0 ? this.candidates.lists : undefined;
    if (isWriting) this.writing += 1;
    try {
      const open = await OpenTransaction.of(transaction, this.hideIn(database), this.inbox, needs, known);
      const result = await work(open);
      await open.close();
      // Else the browser waits until each answer was taken.
      transaction.commit();
      await completion;
      if (isWriting) {
        this.mayBeLost = durability !== 'strict';
        this.candidates.keep(open.candidateLists);
      }
      this.announce(open.changes);
      return result;
    } catch (error) {
      // Where a change failed that nobody waited for, what failed after it says only that the transaction is undone.
      const first = transaction.error;
      abort(transaction);
      throw first ?? error;
    } finally {
      if (isWriting) this.writing -= 1;
    }
  }
}

/** Those whose rows have numbers. */
type NumberedTable = { [Name in TableName]: Rows[Name]['id'] extends number ? Name : never }[TableName];

function opened(transaction: Transaction): OpenTransaction {
  if (!(transaction instanceof OpenTransaction)) throw new TypeError('not a transaction of this store');
  return transaction;
}

const allStores = (): StoreName[] => [...tableNames(), 'meta'];
