import type { DBSchema, IDBPDatabase, IDBPTransaction } from 'idb';
import type { InboxRow } from '../../recording/requests';
import { noIds, type GivenIds } from '../../src/store/draft';
import type { KeyAndValue } from './idb-spare';
import { hiding, newSalt, type Hide } from './hidden-names';
import type { ByteAccount } from './storage-quotas';
import { conversions, converted, SCHEMA_VERSION, type Conversion, type OldRow } from './upgrades';
import {
  indexes,
  indexesOf,
  tableNames,
  type IdOf,
  type IndexKey,
  type Indexes,
  type Rows,
  type TableName,
} from '../../src/store/rows';

/** A row with its keys, in which names are hidden. IndexedDB reads keys only from the record itself. */
export interface Stored<Name extends TableName> {
  readonly id: IdOf<Name>;
  readonly row: Rows[Name];
  readonly keys: Readonly<Record<string, readonly IndexKey[]>>;
}

export type Schema = DBSchema & {
  [Name in TableName]: { key: IdOf<Name>; value: Stored<Name>; indexes: Record<string, IndexKey> };
} & {
  meta: { key: string; value: unknown };
  [INBOX]: { key: number; value: InboxRow };
  [SALT]: { key: string; value: Uint8Array };
};

/** What waits to be registered (./inbox-store.ts). */
export const INBOX = 'inbox';

/** With what the names in keys are hidden. It stays when the content is copied to a new database, which has its own. */
const SALT = 'salt';

/** In `meta`: what every write transaction reads and most change. */
export const COUNTERS = 'counters';

export interface Counters {
  readonly given: GivenIds;
  /** The key of `scatteredId`. It moves to a new database with the rows. */
  readonly idKey: Uint8Array;
  /** How many bytes the rows of all sites take. */
  readonly bytes: ByteAccount;
  /** The rows of the inbox that are registered, and may still be there. */
  readonly registered: readonly number[];
}

export const newCounters = (): Counters => ({
  given: noIds,
  idKey: crypto.getRandomValues(new Uint8Array(16)),
  bytes: new Map(),
  registered: [],
});

/** In `meta`, before a site: how many bytes its rows take. */
const BYTES = 'bytes ';

export const bytesKey = (site: string, hide: Hide): string => BYTES + hide(site);

/** The bytes of a site, and whose they are. */
export interface SiteBytes {
  readonly site: string;
  readonly bytes: ByteAccount;
}

const isSiteBytes = (key: IDBValidKey): boolean => typeof key === 'string' && key.startsWith(BYTES);

/** The keys of the bytes of all sites. */
export const allBytes = (): IDBKeyRange => IDBKeyRange.bound(BYTES, `${BYTES}\uffff`);

/** A version of the schema: what rows are found by, and how those of older versions become rows of this one. */
export interface Version {
  readonly number: number;
  readonly indexes: Indexes;
  readonly conversions: readonly Conversion[];
}

const today: Version = { number: SCHEMA_VERSION, indexes, conversions };

export function stored<Name extends TableName>(
  name: Name,
  row: Rows[Name],
  hide: Hide,
  version = today,
): Stored<Name> {
  const keys = indexesOf(name, version.indexes).map(
    ([index, keysOf]) => [index, keysOf(row).map(hide)] as const,
  );
  return { id: hide<IdOf<Name>>(row.id), row, keys: Object.fromEntries(keys) };
}

/** A value of one database under the keys of another. */
export function rekeyed(table: string, [key, value]: KeyAndValue, hide: Hide): KeyAndValue {
  if (table === 'meta')
    return isSiteBytes(key) ? [bytesKey((value as SiteBytes).site, hide), value] : [key, value];
  const row = stored<TableName>(table as TableName, (value as Stored<TableName>).row, hide);
  return [row.id, row];
}

/** How names are hidden in a database. */
export async function hidingIn(database: IDBPDatabase<Schema>): Promise<Hide> {
  const salt = await database.get(SALT, SALT);
  if (salt === undefined) throw new Error('the database has no salt for its keys');
  return hiding(salt);
}

type Upgrading = IDBPTransaction<
  Schema,
  ArrayLike<TableName | 'meta' | typeof INBOX | typeof SALT>,
  'versionchange'
>;

/**
 * Upgrades a database: creates missing tables and indexes, converts all rows and computes their keys anew. On failure the database stays as it
 * was and is not opened.
 */
export function upgrade(transaction: Upgrading, from: number, version = today): void {
  upgradeTables(transaction, from, version).catch((error: unknown) => {
    console.error('the database cannot be upgraded', error);
    // Nothing else awaits this promise any more.
    transaction.done.catch(() => undefined);
    abort(transaction);
  });
}

async function upgradeTables(transaction: Upgrading, from: number, version: Version): Promise<void> {
  const { db } = transaction;
  if (from === 0) {
    db.createObjectStore('meta');
    db.createObjectStore(INBOX, { keyPath: 'id' });
    db.createObjectStore(SALT);
  } else await forgetBytes(transaction);
  const hide = hiding(await saltIn(transaction));
  for (const name of tableNames()) await upgradeTable(transaction, name, from, version, hide);
}

/** That of a database stays: it is in no content that is copied to another. */
async function saltIn(transaction: Upgrading): Promise<Uint8Array> {
  const table = transaction.objectStore(SALT);
  const salt = (await table.get(SALT)) ?? newSalt();
  await table.put(salt, SALT);
  return salt;
}

/** A version may count other rows, or more for each, so the quotas are counted anew. */
async function forgetBytes(transaction: Upgrading): Promise<void> {
  const meta = transaction.objectStore('meta');
  const counters = (await meta.get(COUNTERS)) as Counters | undefined;
  if (counters !== undefined) await meta.put({ ...counters, bytes: new Map() }, COUNTERS);
  await meta.delete(allBytes());
}

export function abort(transaction: Pick<IDBTransaction, 'abort'>): void {
  try {
    transaction.abort();
  } catch {
    // The transaction had already failed and ended.
  }
}

async function upgradeTable(
  transaction: Upgrading,
  name: TableName,
  from: number,
  version: Version,
  hide: Hide,
): Promise<void> {
  const { db } = transaction;
  const isNew = !db.objectStoreNames.contains(name);
  const table = isNew ? db.createObjectStore(name, { keyPath: 'id' }) : transaction.objectStore(name);
  if (!isNew)
    for (let cursor = await table.openCursor(); cursor !== null; cursor = await cursor.continue()) {
      const row = converted(cursor.value.row as unknown as OldRow, name, from, version.conversions);
      // All conversions have run, so the row has the newest shape.
      await cursor.update(stored(name, row as unknown as Rows[TableName], hide, version) as Stored<never>);
    }
  const declared = indexesOf(name, version.indexes).map(([index]) => index);
  for (const index of table.indexNames) if (!declared.includes(index)) table.deleteIndex(index);
  for (const index of declared)
    if (!table.indexNames.contains(index)) table.createIndex(index, `keys.${index}`, { multiEntry: true });
}
