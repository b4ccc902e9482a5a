import type { ReadTransaction, Store, Transaction } from '../../../transactions/store';

/** The error of all that a killed program would have done next. */
export class Killed extends Error {
  constructor() {
    super('killed');
  }
}

/** A store that dies at its n-th operation, and stays dead. */
export class MortalStore implements Store {
  operations = 0;
  diesAt = Infinity;
  /** One for all that follows, because a stack trace takes long to make. */
  private readonly killed = new Killed();
  /** Counts each method that is asked for, and then calls that of the inner store. */
  private readonly counting: ProxyHandler<object> = {
    get: (target, name) => {
      this.count();
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  };

  constructor(protected readonly inner: Store) {}

  get isDead(): boolean {
    return this.operations >= this.diesAt;
  }

  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.inner.write((tx) => work(this.mortal(tx)));
  }

  read<T>(work: (transaction: ReadTransaction) => Promise<T>): Promise<T> {
    return this.inner.read((tx) => work({ table: (name) => this.counted(tx.table(name)) }));
  }

  protected mortal(tx: Transaction): Transaction {
    return {
      table: (name) => this.counted(tx.table(name)),
      hasChanged: (name) => tx.hasChanged(name),
      decide: (needs, decide) => tx.decide(needs, (draft) => decide(this.counted(draft))),
      nextId: () => {
        this.count();
        return tx.nextId();
      },
    };
  }

  /** The same table or draft, but what is asked of it counts as an operation. */
  protected counted<T extends object>(inner: T): T {
    // A proxy has the methods of what it stands for; TypeScript cannot say so.
    return new Proxy(inner, this.counting) as T;
  }

  protected count(): void {
    if (++this.operations >= this.diesAt) throw this.killed;
  }
}
