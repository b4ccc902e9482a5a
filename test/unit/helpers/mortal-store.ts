import type { Draft } from '../../../src/store/draft';
import type { ReadTransaction, Store, Transaction } from '../../../src/store/store';

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
  /** By table of the inner store, because a transaction asks for the same table again and again. */
  private readonly tables = new WeakMap<object, object>();

  constructor(protected readonly inner: Store) {}

  get isDead(): boolean {
    return this.operations >= this.diesAt;
  }

  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.inner.write((tx) => work(this.mortal(tx)));
  }

  read<T>(work: (transaction: ReadTransaction) => Promise<T>): Promise<T> {
    return this.inner.read((tx) => work({ table: (name) => this.mortalTable(tx.table(name)) }));
  }

  protected mortal(tx: Transaction): Transaction {
    return {
      table: (name) => this.mortalTable(tx.table(name)),
      hasChanged: (name) => tx.hasChanged(name),
      decide: (needs, decide) => tx.decide(needs, (draft) => decide(this.mortalDraft(draft))),
      nextId: () => {
        this.count();
        return tx.nextId();
      },
    };
  }

  /** A draft that counts what is asked of it. */
  protected mortalDraft(draft: Draft): Draft {
    return new Proxy(draft, {
      get: (target, name) => {
        this.count();
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  private mortalTable<T extends object>(table: T): T {
    // The map holds for each table one with the same methods; TypeScript cannot say so.
    const known = this.tables.get(table) as T | undefined;
    if (known !== undefined) return known;
    const mortal = Object.fromEntries(
      Object.entries(table).map(([name, method]) => [
        name,
        (...args: unknown[]): unknown => {
          this.count();
          return (method as (...inner: unknown[]) => unknown)(...args);
        },
      ]),
    ) as unknown as T;
    this.tables.set(table, mortal);
    return mortal;
  }

  protected count(): void {
    if (++this.operations >= this.diesAt) throw this.killed;
  }
}
