import type { IdOf, Rows, TableName } from '../../src/store/store';
import { allBytes, bytesKey, siteOfBytesKey, type Stored } from './idb-schema';
import type { ByteAccount, LedgerStore } from './ledger';
import { resultOf } from './requests';

export type StoreName = TableName | 'meta';

/** How many bytes sites have, as a transaction has changed that. */
export class StoredAccounts implements LedgerStore {
  total: ByteAccount = new Map();
  private readonly known = new Map<string, Promise<ByteAccount>>();

  /** @param removed is told of the rows that make room */
  constructor(
    private readonly transaction: IDBTransaction,
    private readonly removed: (table: TableName, id: IdOf<TableName>) => void,
  ) {}

  account(site: string): Promise<ByteAccount> {
    const account = this.known.get(site) ?? this.read(site);
    this.known.set(site, account);
    return account;
  }

  private async read(site: string): Promise<ByteAccount> {
    const found = this.table('meta').get(bytesKey(site));
    return (await resultOf<ByteAccount | undefined>(found)) ?? new Map();
  }

  keep(site: string, account: ByteAccount): void {
    this.known.set(site, Promise.resolve(account));
    // The name of a site that has nothing any more must not stay.
    if (account.size === 0) this.table('meta').delete(bytesKey(site));
    else this.table('meta').put(account, bytesKey(site));
  }

  async accounts(): Promise<ReadonlyMap<string, ByteAccount>> {
    const meta = this.table('meta');
    const [keys, accounts] = await Promise.all([
      resultOf<string[]>(meta.getAllKeys(allBytes())),
      resultOf<ByteAccount[]>(meta.getAll(allBytes())),
    ]);
    return new Map(keys.map((key, index) => [siteOfBytesKey(key), accounts[index] ?? new Map()]));
  }

  async rowsAfter(table: TableName, id: IdOf<TableName>, limit: number): Promise<readonly Rows[TableName][]> {
    const found = this.table(table).getAll(IDBKeyRange.lowerBound(id, true), limit);
    return (await resultOf<Stored<TableName>[]>(found)).map(({ row }) => row);
  }

  remove(table: TableName, id: IdOf<TableName>): void {
    this.removed(table, id);
    this.table(table).delete(id);
  }

  private table(name: StoreName): IDBObjectStore {
    return this.transaction.objectStore(name);
  }
}
