import type { InboxRow } from '../../../recording/requests';
import type { InboxStore } from '../../store/inbox-store';

/** In ms: how soon a change is written that nothing waits for. */
const DELAY = 1000;

/** The rows that are to be written, or to be deleted. */
export class WriteBehind {
  private changes = new Map<number, InboxRow | null>();
  /** The writes that are not complete. */
  private readonly inFlight = new Set<Promise<void>>();
  /** By row: the newest of them that has it. */
  private readonly newest = new Map<number, number>();
  private writes = 0;
  /** What all who flush share, until it is written. */
  private next: Promise<void> | null = null;
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
    const written = this.write();
    this.inFlight.add(written);
    const complete = (): void => void this.inFlight.delete(written);
    written.then(complete, complete);
    return written;
  }

  /** As `now`, but what changes during one transaction shares the next. Rejects if anything then is not on the disk. */
  flush(): Promise<void> {
    this.next ??= this.writeNext();
    return this.next;
  }

  private async writeNext(): Promise<void> {
    // What fails is tried again.
    await Promise.allSettled(this.inFlight);
    this.next = null;
    if (this.changes.size > 0) void this.now();
    await Promise.all(this.inFlight);
  }

  private async write(): Promise<void> {
    const { changes } = this;
    this.changes = new Map();
    const write = ++this.writes;
    for (const id of changes.keys()) this.newest.set(id, write);
    try {
      await this.table.put(changes);
    } catch (error) {
      // Tried again with the next, unless it has changed again: a later write may have deleted the row.
      const unchanged = [...changes].filter(([id]) => this.newest.get(id) === write);
      this.changes = new Map([...unchanged, ...this.changes]);
      throw error;
    } finally {
      for (const id of changes.keys()) if (this.newest.get(id) === write) this.newest.delete(id);
    }
  }
}
