import { unwrap, type IDBPDatabase } from 'idb';
import type { InboxRow } from '../../recording/requests';
import { COUNTERS, INBOX, type Counters, type Schema } from './idb-schema';
import { completionOf } from './requests';

/**
 * The table of what waits to be registered. No transaction of the engine has it in its scope, so that a response is written while one runs.
 * Replacing the database empties it.
 */
export class InboxStore {
  /** The rows that are noted as registered: whether they are deleted. */
  private noted = new Map<number, boolean>();

  constructor(private readonly database: () => Promise<IDBPDatabase<Schema>>) {}

  /**
   * Writes rows, and deletes those that are null. Once the database is open, all is on its way to the browser when this returns.
   * Resolves when it is complete.
   */
  async put(changes: ReadonlyMap<number, InboxRow | null>): Promise<void> {
    const database = unwrap(await this.database());
    const transaction = database.transaction(INBOX, 'readwrite', { durability: 'relaxed' });
    const completion = completionOf(transaction);
    const table = transaction.objectStore(INBOX);
    for (const [id, row] of changes)
      if (row === null) table.delete(id);
      else table.put(row);
    transaction.commit();
    await completion;
    for (const [id, row] of changes) if (row === null && this.noted.has(id)) this.noted.set(id, true);
  }

  /** What is there, by ascending id, and the rows that a transaction of the engine has registered. */
  async read(): Promise<{ readonly rows: readonly InboxRow[]; readonly registered: ReadonlySet<number> }> {
    const transaction = (await this.database()).transaction([INBOX, 'meta']);
    const counters = transaction.objectStore('meta').get(COUNTERS) as Promise<Counters | undefined>;
    const [rows, found] = await Promise.all([transaction.objectStore(INBOX).getAll(), counters]);
    const registered = new Set(found?.registered);
    const there = new Set(rows.map(({ id }) => id));
    this.noted = new Map([...registered].map((id) => [id, !there.has(id)]));
    return { rows, registered };
  }

  /** Records that a transaction is about to note a row as registered. */
  note(id: number): void {
    this.noted.set(id, false);
  }

  /**
   * Of the rows that were noted before a transaction, those that may still be there.
   * @param added those that it notes itself
   */
  stillThere(before: readonly number[], added: readonly number[]): readonly number[] {
    this.noted = new Map([...before, ...added].map((id) => [id, this.noted.get(id) === true]));
    return before.filter((id) => this.noted.get(id) === false);
  }
}
