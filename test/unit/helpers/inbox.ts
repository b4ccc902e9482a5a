import { Inbox } from '../../../extension/background/record/inbox';
import type { InboxStore } from '../../../extension/store/inbox-store';
import type { InboxRow } from '../../../recording/requests';

/** What an inbox keeps on a disk that is a `Map`. `registered` are the rows that the engine has. */
export class InboxTable implements Pick<InboxStore, 'put' | 'read'> {
  readonly rows = new Map<number, InboxRow>();
  readonly registered = new Set<number>();
  /** How many transactions it has written. */
  writes = 0;

  put(changes: ReadonlyMap<number, InboxRow | null>): Promise<void> {
    this.writes += 1;
    for (const [id, row] of changes)
      if (row === null) this.rows.delete(id);
      else this.rows.set(id, row);
    return Promise.resolve();
  }

  read() {
    return Promise.resolve({ rows: [...this.rows.values()], registered: this.registered });
  }
}

export const newInbox = (table = new InboxTable()): Promise<Inbox> => Inbox.load(table);
