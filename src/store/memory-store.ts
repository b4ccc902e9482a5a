import type { InternalId } from '../model/records';
import {
  indexes,
  type IndexKey,
  type IndexName,
  type Rows,
  type Store,
  type Table,
  type TableName,
  type Transaction,
} from './store';

/** A store that lives as long as the program: for replay, simulation and tests. */
export class MemoryStore implements Store {
  private readonly tables = new Map<TableName, MemoryTable<TableName>>();
  private lastId = 0;
  private queue: Promise<unknown> = Promise.resolve();

  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const result = this.queue.then(() => this.run(work));
    this.queue = result.catch(() => undefined);
    return result;
  }

  read<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.write(work);
  }

  private async run<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const undo: (() => void)[] = [];
    const { lastId } = this;
    try {
      return await work({
        table: (name) => this.table(name).within(undo),
        nextId: () => Promise.resolve(++this.lastId),
      });
    } catch (error) {
      for (const step of undo.reverse()) step();
      this.lastId = lastId;
      throw error;
    }
  }

  private table<Name extends TableName>(name: Name): MemoryTable<Name> {
    const table = this.tables.get(name) ?? new MemoryTable(name);
    this.tables.set(name, table as MemoryTable<TableName>);
    // The map holds under each name the table of that name; TypeScript cannot say so.
    return table as unknown as MemoryTable<Name>;
  }
}

class MemoryTable<Name extends TableName> {
  private readonly rows = new Map<InternalId, Rows[Name]>();
  private readonly byKey = new Map<string, Map<IndexKey, Set<InternalId>>>();
  private readonly indexes: ReadonlyMap<string, (row: Rows[Name]) => readonly IndexKey[]>;

  constructor(name: Name) {
    this.indexes = new Map(Object.entries(indexes[name]));
    for (const index of this.indexes.keys()) this.byKey.set(index, new Map());
  }

  /** The table as a transaction sees it: each change leaves behind how to take it back. */
  within(undo: (() => void)[]): Table<Name> {
    const change = (id: InternalId, row: Rows[Name] | undefined): Promise<void> => {
      const before = this.rows.get(id);
      undo.push(() => this.set(id, before));
      this.set(id, row);
      return Promise.resolve();
    };
    return {
      get: (id) => Promise.resolve(this.rows.get(id)),
      put: (row) => change(row.id, row),
      delete: (id) => change(id, undefined),
      where: (index, key) => Promise.resolve(this.at(this.ids(index, key))),
      countWhere: (index, key) => Promise.resolve(this.ids(index, key).length),
      upTo: (index, last) =>
        Promise.resolve(
          this.sortedKeys(index).flatMap((key) => (key <= last ? this.at(this.ids(index, key)) : [])),
        ),
      first: (index) => {
        const key = this.sortedKeys(index)[0];
        return Promise.resolve(key === undefined ? undefined : this.at(this.ids(index, key))[0]);
      },
      latest: (limit) =>
        Promise.resolve(this.at([...this.rows.keys()].sort((a, b) => b - a).slice(0, limit))),
      count: () => Promise.resolve(this.rows.size),
      clear: async () => {
        for (const id of [...this.rows.keys()]) await change(id, undefined);
      },
    };
  }

  private set(id: InternalId, row: Rows[Name] | undefined): void {
    const before = this.rows.get(id);
    for (const [index, keysOf] of this.indexes) {
      const ids = this.byKey.get(index);
      for (const key of before === undefined ? [] : keysOf(before)) {
        ids?.get(key)?.delete(id);
        if (ids?.get(key)?.size === 0) ids.delete(key);
      }
      for (const key of row === undefined ? [] : keysOf(row))
        ids?.set(key, (ids.get(key) ?? new Set()).add(id));
    }
    if (row === undefined) this.rows.delete(id);
    else this.rows.set(id, row);
  }

  private ids(index: IndexName<Name>, key: IndexKey): InternalId[] {
    return [...(this.byKey.get(index)?.get(key) ?? [])].sort((a, b) => a - b);
  }

  private sortedKeys(index: IndexName<Name>): number[] {
    return [...(this.byKey.get(index)?.keys() ?? [])]
      .filter((key) => typeof key === 'number')
      .sort((a, b) => a - b);
  }

  private at(ids: readonly InternalId[]): Rows[Name][] {
    return ids.flatMap((id) => this.rows.get(id) ?? []);
  }
}
