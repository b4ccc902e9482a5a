import { join } from 'node:path';
import type { Queries } from './database';
import { Journal, type Position } from './journal';
import { isPostgres } from './store-name';
import { IN_MEMORY } from './pglite';

/** The journal of a folder, which needs one because its database runs one statement at a time. Null for other stores. */
export async function journalOf(store: string, queries: Queries): Promise<Journal | null> {
  if (isPostgres(store) || store === IN_MEMORY) return null;
  const [known = { part: 0, end: 0 }] = await queries.query<Position>(
    'SELECT part, position AS "end" FROM journal',
  );
  return new Journal(join(store, 'journal'), known);
}
