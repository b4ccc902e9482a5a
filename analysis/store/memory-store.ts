import type { Draft } from '../../src/store/draft';
import type { IndexName, Rows, TableName } from '../../src/store/rows';
import type { ReadTransaction, Store, Table, Transaction } from '../../transactions/store';
import { MemoryTables } from './memory-tables';

/** A store in memory, for replay, simulation and tests. */
export class MemoryStore implements Store {
  private readonly tables = new MemoryTables();
  /** How many transactions have not ended. */
  private open = 0;
  private queue: Promise<unknown> = Promise.resolve();
  private readonly transaction: Transaction = {
    table: (name) => this.table(name),
    hasChanged: (name) => this.tables.hasChanged(name),
    decide: (_needs, decide) => promised(() => this.tables.atomically(() => decide(this.tables))),
    nextId: () => this.tables.nextId('log'),
  };

  write<T>(work: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    this.open += 1;
    const result = this.open === 1 ? this.run(work) : this.queue.then(() => this.run(work));
    this.queue = result.catch(() => undefined);
    return result;
  }

  read<T>(work: (transaction: ReadTransaction) => T | Promise<T>): Promise<T> {
    return this.write(work);
  }

  /** Decides something at once, while no transaction runs: everything happens, or nothing if `decide` throws. */
  decide<T>(decide: (draft: Draft) => T): T {
    if (this.open > 0) throw new Error('a transaction is running');
    this.tables.commit();
    return this.tables.atomically(() => decide(this.tables));
  }

  /** The rows whose key is at most `last`, by ascending key. */
  upTo<Name extends TableName>(name: Name, index: IndexName<Name>, last: number): Rows[Name][] {
    return this.tables.table(name).upTo(index, last);
  }

  /** The row with the smallest key. */
  first<Name extends TableName>(name: Name, index: IndexName<Name>): Rows[Name] | undefined {
    return this.tables.table(name).first(index);
  }

  /** Removes all rows of a table, and returns them. */
  drain<Name extends TableName>(name: Name): readonly Rows[Name][] {
    return this.tables.table(name).drain();
  }

  private async run<T>(work: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    this.tables.commit();
    const undo = this.tables.savepoint();
    try {
      return await work(this.transaction);
    } catch (error) {
      undo();
      throw error;
    } finally {
      this.open -= 1;
    }
  }

  private table<Name extends TableName>(name: Name): Table<Name> {
    const { tables } = this;
    const table = tables.table(name);
    return {
      get: (id) => promised(() => table.get(id)),
      put: (row) => tables.put(name, row),
      delete: (id) => tables.delete(name, id),
      where: (index, key) => promised(() => table.where(index, key)),
      countWhere: (index, key) => promised(() => table.where(index, key).length),
      upTo: (index, last) => promised(() => table.upTo(index, last)),
      first: (index, after) => promised(() => table.first(index, after)),
      latest: (limit, before = Infinity) =>
        promised(() =>
          table
            .latest()
            .filter(({ id }) => before === Infinity || Number(id) < before)
            .slice(0, limit),
        ),
      count: () => promised(() => table.size),
      clear: () =>
        promised(() => {
          for (const { id } of table.latest()) tables.delete(name, id);
        }),
    };
  }
}

/** Done at once. */
const promised = <T>(work: () => T): Promise<T> =>
  new Promise((resolve) => {
    resolve(work());
  });
