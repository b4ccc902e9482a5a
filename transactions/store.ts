import type { InternalId } from '../src/model/records';
import type { Draft, Need } from '../src/store/draft';
import type { IdOf, IndexKey, IndexName, Rows, TableName } from '../src/store/rows';

/** One table in a read transaction. Rows come in ascending order of id unless stated otherwise; where ids are texts, in any order. */
interface ReadTable<Name extends TableName> {
  /** The row with this id. */
  get(id: IdOf<Name>): Promise<Rows[Name] | undefined>;
  /** The rows with this key. */
  where(index: IndexName<Name>, key: IndexKey): Promise<Rows[Name][]>;
  /** How many rows `where` would give. */
  countWhere(index: IndexName<Name>, key: IndexKey): Promise<number>;
  /** The rows whose key is at most `last`, by ascending key. */
  upTo(index: IndexName<Name>, last: number): Promise<Rows[Name][]>;
  /** The row with the smallest key; with `after`, the smallest above that. */
  first(index: IndexName<Name>, after?: number): Promise<Rows[Name] | undefined>;
  /** The rows with the greatest ids, descending; with `before`, only smaller ids. */
  latest(limit: number, before?: InternalId): Promise<Rows[Name][]>;
  /** How many rows the table has. */
  count(): Promise<number>;
}

/** One table in a write transaction. What is read later sees a change at once; if it fails, so does the transaction. */
export interface Table<Name extends TableName> extends ReadTable<Name> {
  /** Adds the row, or replaces the one with its id. */
  put(row: Rows[Name]): void;
  /** Removes the row, if it is there. */
  delete(id: IdOf<Name>): void;
  /** Removes all rows. */
  clear(): Promise<void>;
}

/** All of it sees the same state. */
export interface ReadTransaction {
  /** The table, to read. */
  table<Name extends TableName>(name: Name): ReadTable<Name>;
}

/**
 * All of it happens or nothing. Work inside may await only the transaction itself, because IndexedDB commits an idle transaction.
 */
export interface Transaction extends ReadTransaction {
  /** The table, to read and write. */
  table<Name extends TableName>(name: Name): Table<Name>;
  /** Whether this transaction has put or deleted a row of the table, or emptied it. */
  hasChanged(name: TableName): boolean;
  /**
   * Decides something in a draft, and applies the draft. If `decide` reads a row that is not loaded, it is called again with a new draft, and must
   * decide the same.
   * @param needs the rows to load together at first. `decide` may read more.
   */
  decide<T>(needs: readonly Need[], decide: (draft: Draft) => T): Promise<T>;
  /** The next number of the log. */
  nextId(): InternalId;
}

/** Where the engine keeps everything: IndexedDB in the extension, memory in simulations. */
export interface Store {
  /** Write transactions run one after the other. If `work` rejects, nothing changes. */
  write<T>(work: (transaction: Transaction) => T | Promise<T>): Promise<T>;
  /** Resolves to what `work` resolves to. */
  read<T>(work: (transaction: ReadTransaction) => T | Promise<T>): Promise<T>;
}
