import { dropTables } from './migrations';
import { removeFolder } from './pglite';
import { openPostgres } from './postgres';
import { isPostgres, storeProblem } from './store-name';

/**
 * Erases everything that a collector stored: the folder, or its tables on a PostgreSQL server.
 * @throws Error when there is no such store.
 */
export async function wipeStore(store: string): Promise<void> {
  const problem = storeProblem(store);
  if (problem !== null) throw new Error(problem);
  if (!isPostgres(store)) return removeFolder(store);
  const database = await openPostgres(store, dropTables);
  await database.close();
}
