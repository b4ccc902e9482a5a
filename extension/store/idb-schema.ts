import type { DBSchema, IDBPTransaction } from 'idb';
import type { InboxRow } from '../../recording/requests';
import type { InternalId } from '../../src/model/records';
import type { ByteAccount } from './ledger';
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
} from '../../src/store/store';

/** A row with its secondary keys. IndexedDB reads keys only from the record itself. */
export interface Stored<Name extends TableName> {
  readonly id: IdOf<Name>;
  readonly row: Rows[Name];
  readonly keys: Readonly<Record<string, readonly IndexKey[]>>;
}

export type Schema = DBSchema & {
  [Name in TableName]: { key: IdOf<Name>; value: Stored<Name>; indexes: Record<string, IndexKey> };
} & { meta: { key: string; value: unknown }; [INBOX]: { key: number; value: InboxRow } };

/** What waits to be registered (./inbox-store.ts). */
export const INBOX = 'inbox';

/** In `meta`: what every write transaction reads and most change. */
export const COUNTERS = 'counters';

export interface Counters {
  /** The last id that was given out. */
  readonly lastId: InternalId;
  /** How many bytes the rows of all sites take. */
  readonly bytes: ByteAccount;
  /** The rows of the inbox that are registered, and may still be there. */
  readonly registered: readonly number[];
}

/** In `meta`, before a site: how many bytes its rows take. */
const BYTES = 'bytes ';

export const bytesKey = (site: string): string => BYTES + site;

export const siteOfBytesKey = (key: string): string => key.slice(BYTES.length);

/** The keys of the bytes of all sites. */
export const allBytes = (): IDBKeyRange => IDBKeyRange.bound(BYTES, `${BYTES}\uffff`);

/** A version of the schema: what rows are found by, and how those of older versions become rows of this one. */
export interface Version {
  readonly number: number;
  readonly indexes: Indexes;
  readonly conversions: readonly Conversion[];
}

const today: Version = { number: SCHEMA_VERSION, indexes, conversions };

export function stored<Name extends TableName>(name: Name, row: Rows[Name], version = today): Stored<Name> {
  const keys = indexesOf(name, version.indexes).map(([index, keysOf]) => [index, keysOf(row)] as const);
  return { id: row.id, row, keys: Object.fromEntries(keys) };
}

type Upgrading = IDBPTransaction<Schema, ArrayLike<TableName | 'meta' | typeof INBOX>, 'versionchange'>;

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
  } else await forgetBytes(transaction);
  for (const name of tableNames()) await upgradeTable(transaction, name, from, version);
}

/** A version may count other rows, or more for each, so the ledger counts anew. */
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
): Promise<void> {
  const { db } = transaction;
  const isNew = !db.objectStoreNames.contains(name);
  const table = isNew ? db.createObjectStore(name, { keyPath: 'id' }) : transaction.objectStore(name);
  if (!isNew)
    for (let cursor = await table.openCursor(); cursor !== null; cursor = await cursor.continue()) {
      const row = converted(cursor.value.row as unknown as OldRow, name, from, version.conversions);
      // All conversions have run, so the row has the newest shape.
      await cursor.update(stored(name, row as unknown as Rows[TableName], version) as Stored<never>);
    }
  const declared = indexesOf(name, version.indexes).map(([index]) => index);
  for (const index of table.indexNames) if (!declared.includes(index)) table.deleteIndex(index);
  for (const index of declared)
    if (!table.indexNames.contains(index)) table.createIndex(index, `keys.${index}`, { multiEntry: true });
}
