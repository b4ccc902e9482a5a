import { unwrap, type IDBPTransaction } from 'idb';
import type { IdOf, Rows, TableName } from '../../src/store/store';
import { allBytes, bytesKey, siteOfBytesKey, type Schema } from './idb-schema';
import type { ByteAccount, LedgerStore } from './ledger';

export type StoreName = TableName | 'meta';
export type AnyTransaction = IDBPTransaction<Schema, StoreName[], IDBTransactionMode>;

/** How many bytes sites have, as a transaction has changed that. */
export class StoredAccounts implements LedgerStore {
  total: ByteAccount = new Map();
  private readonly known = new Map<string, Promise<ByteAccount>>();

  /** @param removed is told of the rows that make room */
  constructor(
    private readonly transaction: AnyTransaction,
    private readonly removed: (table: TableName, id: IdOf<TableName>) => void,
  ) {}

  account(site: string): Promise<ByteAccount> {
    const account = this.known.get(site) ?? this.meta.get(bytesKey(site)).then((found = new Map()) => found);
    this.known.set(site, account);
    return account;
  }

  keep(site: string, account: ByteAccount): void {
    this.known.set(site, Promise.resolve(account));
    // The name of a site that has nothing any more must not stay.
    if (account.size === 0) this.writing('meta').delete(bytesKey(site));
    else this.writing('meta').put(account, bytesKey(site));
  }

  async accounts(): Promise<ReadonlyMap<string, ByteAccount>> {
    const { meta } = this;
    const [keys, accounts] = await Promise.all([meta.getAllKeys(allBytes()), meta.getAll(allBytes())]);
    return new Map(keys.map((key, index) => [siteOfBytesKey(key), accounts[index] ?? new Map()]));
  }

  async rowsAfter(table: TableName, id: IdOf<TableName>, limit: number): Promise<readonly Rows[TableName][]> {
    const found = await this.transaction.objectStore(table).getAll(IDBKeyRange.lowerBound(id, true), limit);
    return found.map(({ row }) => row);
  }

  remove(table: TableName, id: IdOf<TableName>): void {
    this.removed(table, id);
    this.writing(table).delete(id);
  }

  private get meta(): AccountTable {
    return this.transaction.objectStore('meta') as unknown as AccountTable;
  }

  /** To write without waiting for an answer. */
  private writing(name: StoreName): IDBObjectStore {
    return unwrap(this.transaction).objectStore(name);
  }
}

/** The part of `meta` that holds accounts. */
interface AccountTable {
  get(key: string): Promise<ByteAccount | undefined>;
  getAll(range: IDBKeyRange): Promise<ByteAccount[]>;
  getAllKeys(range: IDBKeyRange): Promise<string[]>;
}
