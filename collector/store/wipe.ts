import { dropTables } from './migrations';
import { isStore } from './new-folder';
import { removeFolder } from './pglite';
import { openPostgres } from './postgres';
import { isPostgres, storeProblem } from './store-name';

/** Why it cannot be erased, as far as its name and the disk say; null if nothing is known against it. */
export const wipeProblem = (store: string): string | null =>
  storeProblem(store) ?? (isPostgres(store) || isStore(store) ? null : 'there is no store in this folder');

/**
 * Erases everything that a collector stored: the folder, or its tables on a PostgreSQL server.
 * @throws Error when there is no such store.
 */
export async function wipeStore(store: string): Promise<void> {
  const problem = wipeProblem(store);
  if (problem !== null) throw new Error(problem);
  if (!isPostgres(store)) return removeFolder(store);
  const database = await openPostgres(store, dropTables);
  await database.close();
}
