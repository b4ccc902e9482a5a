import { deleteDB, openDB, type IDBPDatabase } from 'idb';

export type KeyAndValue = readonly [key: IDBValidKey, value: unknown];

/** By the name of their table, and of `meta`. */
type Content = ReadonlyMap<string, readonly KeyAndValue[]>;

/** A database of any tables. */
type Tables = IDBPDatabase;

/** A value under the key that it gets in the new database. */
type Rekey<Database> = (database: Database, table: string, one: KeyAndValue) => KeyAndValue;

const unchanged: Rekey<unknown> = (_database, _table, one) => one;

const nameOf = (name: string): string => `${name} while it is replaced`;
const TABLE = 'content';

/**
 * Replaces a database by a new one with the same content, so that nothing of deleted rows stays on the disk. If the content cannot be saved, the
 * old one goes on. If the background stops before the end, `fromSpare` goes on.
 * @returns `opened` is for whoever reads or writes from now on
 */
export function replaceDatabase<Database extends { close(): void }>(
  name: string,
  old: Promise<Database>,
  tables: readonly string[],
  connect: () => Promise<Database>,
  rekey: Rekey<Database> = unchanged,
): { readonly saved: Promise<void>; readonly opened: Promise<Database> } {
  const saved = old.then(async (database) => saveSpare(name, await contentOf(database, tables)));
  const opened = saved.then(
    async () => {
      (await old).close();
      return fromSpare(name, connect, rekey);
    },
    () => old,
  );
  return { saved, opened };
}

/** Opens a new database with the content that was saved of the old one; the old one if its content was not saved as a whole. */
export async function fromSpare<Database>(
  name: string,
  connect: () => Promise<Database>,
  rekey: Rekey<Database> = unchanged,
): Promise<Database> {
  const content = await readSpare(name);
  if (content !== null) await deleteDB(name);
  const database = await connect();
  if (content !== null) await fill(database, content, (table, one) => rekey(database, table, one));
  await deleteSpare(name);
  return database;
}

/** All that these tables of a database hold. */
export async function contentOf(database: unknown, names: readonly string[]): Promise<Content> {
  const transaction = (database as Tables).transaction([...names]);
  const tables = [...transaction.objectStoreNames].map(async (name) => {
    const table = transaction.objectStore(name);
    const [keys, values] = await Promise.all([table.getAllKeys(), table.getAll()]);
    return [name, keys.map((key, index) => [key, values[index]] as const)] as const;
  });
  return new Map(await Promise.all(tables));
}

/** Adds the content to an empty database, all of it or nothing. */
async function fill(
  database: unknown,
  content: Content,
  rekey: (table: string, one: KeyAndValue) => KeyAndValue,
): Promise<void> {
  const transaction = (database as Tables).transaction([...content.keys()], 'readwrite', {
    durability: 'strict',
  });
  for (const [name, rows] of content) {
    const table = transaction.objectStore(name);
    // Rows have their keys in them; single values have not.
    for (const row of rows) {
      const [key, value] = rekey(name, row);
      void table.put(value, table.keyPath === null ? key : undefined);
    }
  }
  await transaction.done;
}

/** Keeps the content of a database that is about to be deleted, under another name, all of it or nothing. */
export async function saveSpare(name: string, content: Content): Promise<void> {
  // So that the deletions of rows come into a file.
  await mergeFiles(name);
  await deleteSpare(name);
  const spare = await openSpare(name);
  const transaction = spare.transaction(TABLE, 'readwrite', { durability: 'strict' });
  await Promise.all([transaction.store.put(content, TABLE), transaction.done]);
  spare.close();
}

/**
 * Deletes a database of another name, upon which Chrome makes a file of LevelDB's log, merges files, and removes those that were merged
 * before. Deleted rows go when the file with their deletion is merged into one below, so not where both came into one file from the
 * log. Merged files that something reads at that moment, such as an open page, stay until the next time.
 */
export async function mergeFiles(name: string): Promise<void> {
  const other = `${name} whose files are merged`;
  (await openDB(other, 1)).close();
  await deleteDB(other);
}

/** Null if it was not kept as a whole. */
async function readSpare(name: string): Promise<Content | null> {
  const spare = await openSpare(name);
  const content = ((await spare.get(TABLE, TABLE)) as Content | undefined) ?? null;
  spare.close();
  return content;
}

export async function hasSpare(name: string): Promise<boolean> {
  return (await indexedDB.databases()).some((database) => database.name === nameOf(name));
}

/** Whether there is a database, or what was saved of it. With one look: between two, it may be saved and deleted. */
export async function isThereOrSaved(name: string): Promise<boolean> {
  return (await indexedDB.databases()).some((one) => one.name === name || one.name === nameOf(name));
}

const deleteSpare = (name: string): Promise<void> => deleteDB(nameOf(name));

const openSpare = (name: string): Promise<IDBPDatabase> =>
  openDB(nameOf(name), 1, { upgrade: (database) => void database.createObjectStore(TABLE) });
