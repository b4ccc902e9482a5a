import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Json } from '../../../src/model/json';

const folder = path.resolve(__dirname, '../../fixtures');

/** The database of an earlier Cointoss, as JSON; see test/fixtures/README.md. */
export interface OldDatabase {
  readonly version: number;
  readonly stores: Readonly<Record<string, OldStore>>;
}

interface OldStore {
  readonly keyPath: string | null;
  readonly indexes: readonly {
    readonly name: string;
    readonly keyPath: string;
    readonly multiEntry: boolean;
  }[];
  readonly rows: readonly (readonly [key: number | string, value: Json])[];
}

/** One per schema version, in order. */
export const oldDatabases: readonly OldDatabase[] = readdirSync(folder)
  .filter((file) => /^database-\d+\.json$/.test(file))
  .sort()
  .map((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as OldDatabase);

/** Makes the database with IndexedDB alone, replacing an existing one. Also runs in a page, so it uses no imports. */
export async function createOldDatabase(name: string, { version, stores }: OldDatabase): Promise<void> {
  const decode = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(decode);
    if (typeof value !== 'object' || value === null) return value;
    const { $bigint, $map } = value as { readonly $bigint?: string; readonly $map?: readonly unknown[] };
    if ($bigint !== undefined) return BigInt($bigint);
    if ($map !== undefined) return new Map(decode($map) as [unknown, unknown][]);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, decode(item)]));
  };
  const done = (request: IDBOpenDBRequest): Promise<IDBDatabase> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(new Error(`no database: ${String(request.error)}`));
    });
  // Requests both at once, so that no background opens it in between.
  const deleted = done(indexedDB.deleteDatabase(name));
  const opening = indexedDB.open(name, version);
  opening.onupgradeneeded = () => {
    for (const [storeName, { keyPath, indexes, rows }] of Object.entries(stores)) {
      const store = opening.result.createObjectStore(storeName, keyPath === null ? {} : { keyPath });
      for (const index of indexes)
        store.createIndex(index.name, index.keyPath, { multiEntry: index.multiEntry });
      for (const [key, value] of rows) {
        if (keyPath === null) store.put(decode(value), key);
        else store.put(decode(value));
      }
    }
  };
  await deleted;
  (await done(opening)).close();
}

export const rowsOf = (
  { stores }: OldDatabase,
  table: string,
): readonly { readonly [field: string]: Json }[] =>
  (stores[table]?.rows ?? []).map(
    ([, value]) => plain((value as { readonly row: Json }).row) as { [field: string]: Json },
  );

function plain(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const { $bigint, $map } = value as {
    readonly $bigint?: string;
    readonly $map?: readonly [string | number, Json][];
  };
  if ($bigint !== undefined) return $bigint;
  if ($map !== undefined) return Object.fromEntries($map.map(([key, item]) => [String(key), plain(item)]));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}
