import type { InternalId } from '../../src/model/records';
import type { IdOf, IndexName, Rows, TableName } from '../../src/store/rows';
import type { Hide } from './hidden-names';
import { allBytes, bytesKey, type SiteBytes, type Stored } from './idb-schema';
import type { ByteAccount, QuotaStore } from './storage-quotas';
import { resultOf } from './requests';

export type StoreName = TableName | 'meta';

/** How many bytes sites have, as a transaction has changed that. */
export class StoredAccounts implements QuotaStore {
  total: ByteAccount = new Map();
  private readonly known = new Map<string, Promise<ByteAccount>>();

  /** @param removed is called with the rows that make room */
  constructor(
    private readonly transaction: IDBTransaction,
    private readonly hide: Hide,
    private readonly removed: (table: TableName, id: IdOf<TableName>) => void,
  ) {}

  account(site: string): Promise<ByteAccount> {
    const account = this.known.get(site) ?? this.read(site);
    this.known.set(site, account);
    return account;
  }

  private async read(site: string): Promise<ByteAccount> {
    const found = this.table('meta').get(bytesKey(site, this.hide));
    return (await resultOf<SiteBytes | undefined>(found))?.bytes ?? new Map();
  }

  keep(site: string, bytes: ByteAccount): void {
    this.known.set(site, Promise.resolve(bytes));
    const key = bytesKey(site, this.hide);
    // The name of a site that has nothing any more must not stay.
    if (bytes.size === 0) this.table('meta').delete(key);
    else this.table('meta').put({ site, bytes } satisfies SiteBytes, key);
  }

  async accounts(): Promise<ReadonlyMap<string, ByteAccount>> {
    const all = await resultOf<SiteBytes[]>(this.table('meta').getAll(allBytes()));
    return new Map(all.map(({ site, bytes }) => [site, bytes]));
  }

  async rowsAfter(table: TableName, id: IdOf<TableName>, limit: number): Promise<readonly Rows[TableName][]> {
    const found = this.table(table).getAll(IDBKeyRange.lowerBound(this.hide(id), true), limit);
    return (await resultOf<Stored<TableName>[]>(found)).map(({ row }) => row);
  }

  async finishedInTurn(): Promise<readonly InternalId[]> {
    const index: IndexName<'finished'> = 'time';
    const ids = await resultOf(this.table('finished').index(index).getAllKeys());
    // One that noise replaced has a second key, after all times.
    return [...new Set(ids as InternalId[])];
  }

  async finished(id: InternalId): Promise<Rows['finished'] | undefined> {
    return (await resultOf<Stored<'finished'> | undefined>(this.table('finished').get(id)))?.row;
  }

  remove(table: TableName, id: IdOf<TableName>): void {
    this.removed(table, id);
    this.table(table).delete(this.hide(id));
  }

  private table(name: StoreName): IDBObjectStore {
    return this.transaction.objectStore(name);
  }
}
