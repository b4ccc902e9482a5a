import type { DBSchema, IDBPTransaction } from 'idb';
import type { Arrival } from '../../src/model/requests';
import { LEDGER_PREFIX } from './ledger';
import { conversions, conversionsSince, converted, type Conversion } from './conversions';
import {
  indexes,
  indexesOf,
  tableNames,
  type IndexKey,
  type Indexes,
  type Rows,
  type TableName,
} from '../../src/store/store';

/** A row with its secondary keys. IndexedDB reads keys only from the record itself. */
export interface Stored<Name extends TableName> {
  readonly id: number;
  readonly row: Rows[Name];
  readonly keys: Readonly<Record<string, readonly IndexKey[]>>;
}

export type Schema = DBSchema & {
  [Name in TableName]: { key: number; value: Stored<Name>; indexes: Record<string, IndexKey> };
} & { meta: { key: string; value: unknown }; [ARRIVALS]: { key: string; value: Arrival } };

/** Responses as they came. In no other transaction, so that writing one waits for none. */
export const ARRIVALS = 'arrivals';

/** The schema's versions, by which an upgrade tells what is new. */
export interface Versions {
  readonly indexes: Indexes;
  readonly conversions: readonly Conversion[];
}

const today: Versions = { indexes, conversions };

export const schemaVersion = (versions = today): number =>
  Math.max(
    ...tableNames().flatMap((name) => indexesOf(name, versions.indexes).map(([, { since }]) => since)),
    ...versions.conversions.map(({ since }) => since),
  );

export function stored<Name extends TableName>(name: Name, row: Rows[Name], versions = today): Stored<Name> {
  const keys = indexesOf(name, versions.indexes).map(([index, { keys }]) => [index, keys(row)] as const);
  return { id: row.id, row, keys: Object.fromEntries(keys) };
}

type Upgrading = IDBPTransaction<Schema, ArrayLike<TableName | 'meta' | typeof ARRIVALS>, 'versionchange'>;

/**
 * Upgrades a database: creates missing tables and indexes, and rewrites changed rows. On failure the database stays as it was and is not
 * opened.
 */
export function upgrade(transaction: Upgrading, from: number, versions = today): void {
  upgradeTables(transaction, from, versions).catch((error: unknown) => {
    console.error('the database cannot be upgraded', error);
    abort(transaction);
  });
}

async function upgradeTables(transaction: Upgrading, from: number, versions: Versions): Promise<void> {
  if (from === 0) transaction.db.createObjectStore('meta');
  // A version may count other rows, or more for each, so the ledger counts anew.
  else
    await transaction.objectStore('meta').delete(IDBKeyRange.bound(LEDGER_PREFIX, `${LEDGER_PREFIX}\uffff`));
  // Since version 8.
  if (!transaction.db.objectStoreNames.contains(ARRIVALS)) transaction.db.createObjectStore(ARRIVALS);
  for (const name of tableNames()) await upgradeTable(transaction, name, from, versions);
}

export function abort(transaction: Pick<Upgrading, 'abort' | 'done'>): void {
  // Nothing else awaits this promise any more. The original error is already being thrown.
  transaction.done.catch(() => undefined);
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
  versions: Versions,
): Promise<void> {
  const { db } = transaction;
  const isNew = !db.objectStoreNames.contains(name);
  const table = isNew ? db.createObjectStore(name, { keyPath: 'id' }) : transaction.objectStore(name);
  const due = conversionsSince(from, name, versions.conversions);
  const declared = indexesOf(name, versions.indexes);
  if (due.length > 0 || declared.some(([, { since }]) => since > from))
    for (let cursor = await table.openCursor(); cursor !== null; cursor = await cursor.continue()) {
      const row = converted({ ...cursor.value.row }, due);
      // All conversions have run, so the row has the newest shape.
      await cursor.update(stored(name, row as unknown as Rows[TableName], versions) as Stored<never>);
    }
  for (const index of table.indexNames)
    if (!declared.some(([name]) => name === index)) table.deleteIndex(index);
  for (const [index] of declared)
    if (!table.indexNames.contains(index)) table.createIndex(index, `keys.${index}`, { multiEntry: true });
}
