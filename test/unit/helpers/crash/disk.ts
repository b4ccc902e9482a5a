import type { IdbStore, MetaKey } from '../../../../extension/store/idb-store';
import type { Arrival } from '../../../../src/model/requests';
import type { Rows, TableName, Transaction } from '../../../../src/store/store';
import { tableNames } from '../../../../src/store/store';
import { MemoryStore } from '../../../../analysis/store/memory-store';
import { Killed, MortalStore } from '../mortal-store';

/** What remains when the background is killed. */
export class Disk {
  readonly tables = new MemoryStore();
  readonly values = new Map<MetaKey, unknown>();
  readonly arrivals = new Map<string, Arrival>();

  async contents(): Promise<Contents> {
    return this.tables.read(async (tx) => {
      const found: Partial<Record<TableName | 'arrivals', readonly unknown[]>> = {
        arrivals: [...this.arrivals.values()],
      };
      for (const name of tableNames()) found[name] = await tx.table(name).latest(Infinity);
      return found as Contents;
    });
  }
}

export type Contents = { readonly [Name in TableName]: readonly Rows[Name][] } & {
  readonly arrivals: readonly Arrival[];
};

/** The store of one run of the background. */
export class LifeStore extends MortalStore {
  constructor(private readonly disk: Disk) {
    super(disk.tables);
  }

  /** All that the background asks of its store. */
  get asIdbStore(): IdbStore {
    return this as unknown as IdbStore;
  }

  override async write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const result = await super.write(work);
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

  async arrive(id: string, arrival: Arrival): Promise<void> {
    this.count();
    await Promise.resolve();
    this.disk.arrivals.set(id, structuredClone(arrival));
    this.count();
  }

  async depart(id: string): Promise<void> {
    this.count();
    await Promise.resolve();
    this.disk.arrivals.delete(id);
    this.count();
  }

  arrivals(): Promise<ReadonlyMap<string, Arrival>> {
    this.count();
    return Promise.resolve(new Map(this.disk.arrivals));
  }

  /** Replacing a database forgets what is in no table. */
  async replace(): Promise<void> {
    this.count();
    await Promise.resolve();
    this.disk.arrivals.clear();
    this.count();
  }

  hasRoom(): Promise<boolean> {
    return Promise.resolve(true);
  }

  getMeta(key: MetaKey): Promise<unknown> {
    this.count();
    return Promise.resolve(this.disk.values.get(key) ?? null);
  }

  async setMeta(key: MetaKey, value: unknown): Promise<void> {
    this.count();
    await Promise.resolve();
    this.disk.values.set(key, structuredClone(value));
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
            return { result: decide(this.mortalDraft(draft)) };
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
