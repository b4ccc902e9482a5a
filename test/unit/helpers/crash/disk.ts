import type { IdbStore, MetaKey } from '../../../../extension/store/idb-store';
import type { InboxRow, StoredResponse } from '../../../../recording/requests';
import type { Rows, TableName } from '../../../../src/store/rows';
import type { Transaction } from '../../../../transactions/store';
import { tableNames } from '../../../../src/store/rows';
import { MemoryStore } from '../../../../analysis/store/memory-store';
import { Killed, MortalStore } from '../mortal-store';

/** What remains when the background is killed. */
export class Disk {
  readonly tables = new MemoryStore();
  readonly values = new Map<MetaKey, unknown>();
  readonly inbox = new Map<number, InboxRow>();
  /** Rows of the inbox that are registered. */
  registered: readonly number[] = [];

  async contents(): Promise<Contents> {
    return this.tables.read(async (tx) => {
      const found: Partial<Record<TableName | 'waiting', readonly unknown[]>> = {
        waiting: [...this.inbox.values()].filter(
          (row) => 'response' in row && !this.registered.includes(row.id),
        ),
      };
      for (const name of tableNames()) found[name] = await tx.table(name).latest(Infinity);
      return found as Contents;
    });
  }
}

export type Contents = { readonly [Name in TableName]: readonly Rows[Name][] } & {
  /** The responses that are not registered. */
  readonly waiting: readonly StoredResponse[];
};

/** The store of one run of the background. */
export class LifeStore extends MortalStore {
  /** The rows of the inbox that a transaction registers. */
  private readonly marks = new WeakMap<Transaction, readonly number[]>();

  constructor(private readonly disk: Disk) {
    super(disk.tables);
  }

  /** All that the background asks of its store. */
  get asIdbStore(): IdbStore {
    return this as unknown as IdbStore;
  }

  override async write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    let marks: readonly number[] = [];
    const result = await super.write(async (tx) => {
      const done = await work(tx);
      marks = this.marks.get(tx) ?? [];
      return done;
    });
    this.disk.registered = [...this.disk.registered, ...marks];
    // A transaction may be complete although the background was killed before it heard so.
    this.count();
    return result;
  }

  writeSoon<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.write(work);
  }

  flush(): Promise<void> {
    this.count();
    return Promise.resolve();
  }

  readonly inbox = {
    put: async (changes: ReadonlyMap<number, InboxRow | null>): Promise<void> => {
      this.count();
      await Promise.resolve();
      for (const [id, row] of changes)
        if (row === null) this.disk.inbox.delete(id);
        else this.disk.inbox.set(id, structuredClone(row));
      this.count();
    },
    read: () => {
      this.count();
      const rows = [...this.disk.inbox.values()].sort((a, b) => a.id - b.id);
      return Promise.resolve({ rows, registered: new Set(this.disk.registered) });
    },
  };

  noteRegistered(tx: Transaction, id: number): boolean {
    this.count();
    if (this.disk.registered.includes(id)) return false;
    this.marks.set(tx, [...(this.marks.get(tx) ?? []), id]);
    return true;
  }

  /** Replacing a database forgets what is in no table. */
  async replace(): Promise<void> {
    this.count();
    await Promise.resolve();
    this.disk.inbox.clear();
    this.count();
  }

  hasRoom(): Promise<boolean> {
    return Promise.resolve(true);
  }

  getMeta(key: MetaKey): Promise<unknown> {
    this.count();
    return Promise.resolve(this.disk.values.get(key) ?? null);
  }

  async setMeta(key: MetaKey, value: unknown, also: Readonly<Record<string, unknown>> = {}): Promise<void> {
    this.count();
    await Promise.resolve();
    for (const [name, one] of Object.entries({ ...also, [key]: value }))
      this.disk.values.set(name as MetaKey, structuredClone(one));
    this.count();
  }
}

/** For the negative control: keeps the first part of a transaction in which it dies. */
export class HalfStore extends LifeStore {
  override async write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const done = await this.inner.write(async (tx) => {
      try {
        return { result: await work(this.half(tx)) };
      } catch (error) {
        if (error instanceof Killed) return null;
        throw error;
      }
    });
    if (done === null) throw new Killed();
    this.count();
    return done.result;
  }

  /** As `mortal`, but keeps what a decision had changed when it died. */
  private half(tx: Transaction): Transaction {
    return {
      ...this.mortal(tx),
      decide: async (needs, decide) => {
        const done = await tx.decide(needs, (draft) => {
          try {
            return { result: decide(this.counted(draft)) };
          } catch (error) {
            if (error instanceof Killed) return null;
            throw error;
          }
        });
        if (done === null) throw new Killed();
        return done.result;
      },
    };
  }
}
