import type { InboxRow } from '../../recording/requests';
import type { InboxStore } from '../store/inbox-store';

/** In ms: how soon a change is written that nothing waits for. */
const DELAY = 1000;

/** The rows that are to be written, or to be deleted. */
export class WriteBehind {
  private changes = new Map<number, InboxRow | null>();
  /** What is being written. */
  private writing: Promise<void> = Promise.resolve();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly table: Pick<InboxStore, 'put'>) {}

  /** Puts a row, or with null deletes the one with this id, together with other changes. */
  later(id: number, row: InboxRow | null): void {
    this.changes.set(id, row);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.flush().catch((error: unknown) => console.error('Cointoss could not write its inbox', error));
    }, DELAY);
  }

  /** Writes all that has changed, and waits for nothing. Resolves when it is on the disk. */
  now(): Promise<void> {
    const before = this.writing.catch(() => undefined);
    const written = this.write();
    this.writing = before.then(() => written);
    this.writing.catch(() => undefined);
    return written;
  }

  /** As `now`, but what changes during one transaction shares the next. */
  async flush(): Promise<void> {
    await this.writing.catch(() => undefined);
    if (this.changes.size > 0) void this.now();
    await this.writing;
  }

  private async write(): Promise<void> {
    const { changes } = this;
    this.changes = new Map();
    try {
      await this.table.put(changes);
    } catch (error) {
      // Tried again with the next, unless it has changed again.
      this.changes = new Map([...changes, ...this.changes]);
      throw error;
    }
  }
}
