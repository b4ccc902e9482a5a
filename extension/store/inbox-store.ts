import { unwrap, type IDBPDatabase } from 'idb';
import type { InboxRow } from '../../recording/requests';
import { INBOX, REGISTERED, type Schema } from './idb-schema';

/**
 * The table of what waits to be registered. No transaction of the engine has it in its scope, so that a response is written while one runs.
 * Replacing the database empties it.
 */
export class InboxStore {
  /** Rows that are registered, and may still be there. Each transaction that registers one notes all of them in `meta`. */
  readonly registered = new Set<number>();

  constructor(private readonly database: () => Promise<IDBPDatabase<Schema>>) {}

  /**
   * Writes rows, and deletes those that are null. Once the database is open, all is on its way to the browser when this returns.
   * Resolves when it is complete.
   */
  async put(changes: ReadonlyMap<number, InboxRow | null>): Promise<void> {
    const transaction = (await this.database()).transaction(INBOX, 'readwrite', { durability: 'relaxed' });
    const table = unwrap(transaction).objectStore(INBOX);
    for (const [id, row] of changes)
      if (row === null) table.delete(id);
      else table.put(row);
    transaction.commit();
    await transaction.done;
    for (const [id, row] of changes) if (row === null) this.registered.delete(id);
  }

  /** What is there, by ascending id, and which of it is registered. */
  async read(): Promise<{ readonly rows: readonly InboxRow[]; readonly registered: ReadonlySet<number> }> {
    const transaction = (await this.database()).transaction([INBOX, 'meta']);
    const [rows, registered] = await Promise.all([
      transaction.objectStore(INBOX).getAll(),
      transaction.objectStore('meta').get(REGISTERED),
    ]);
    for (const id of (registered ?? []) as readonly number[]) this.registered.add(id);
    return { rows, registered: this.registered };
  }

  async clear(): Promise<void> {
    await (await this.database()).clear(INBOX);
    this.registered.clear();
  }
}
