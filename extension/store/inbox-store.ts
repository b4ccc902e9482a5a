import { unwrap, type IDBPDatabase } from 'idb';
import type { InboxRow } from '../../recording/requests';
import { COUNTERS, INBOX, type Counters, type Schema } from './idb-schema';

/**
 * The table of what waits to be registered. No transaction of the engine has it in its scope, so that a response is written while one runs.
 * Replacing the database empties it.
 */
export class InboxStore {
  /** Rows that are deleted, and may still be noted as registered. */
  private gone: ReadonlySet<number> = new Set();

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
    this.gone = new Set([...this.gone, ...[...changes].flatMap(([id, row]) => (row === null ? [id] : []))]);
  }

  /** What is there, by ascending id, and the rows that a transaction of the engine has registered. */
  async read(): Promise<{ readonly rows: readonly InboxRow[]; readonly registered: ReadonlySet<number> }> {
    const transaction = (await this.database()).transaction([INBOX, 'meta']);
    const counters = transaction.objectStore('meta').get(COUNTERS) as Promise<Counters | undefined>;
    const [rows, found] = await Promise.all([transaction.objectStore(INBOX).getAll(), counters]);
    const registered = new Set(found?.registered);
    const there = new Set(rows.map(({ id }) => id));
    this.gone = new Set([...registered].filter((id) => !there.has(id)));
    return { rows, registered };
  }

  /** Of the rows that are noted as registered, those that may still be there. */
  stillThere(registered: readonly number[]): readonly number[] {
    this.gone = new Set(registered.filter((id) => this.gone.has(id)));
    return registered.filter((id) => !this.gone.has(id));
  }
}
