import type { Source } from '../../src/model/records';
import { Draft, type View } from '../../src/store/draft';
import {
  indexes,
  type IdOf,
  type Index,
  type IndexKey,
  type IndexName,
  type Indexes,
  type ReadTransaction,
  type Rows,
  type Store,
  type Table,
  type TableName,
  type Transaction,
} from '../../src/store/store';
import { Candidates } from './candidates';
import { MemoryIndex } from './memory-index';

const declaredIndexes: Indexes = indexes;

/** Takes one change back. */
type Undo = () => void;

/** The transaction that runs now. */
interface Running {
  /** Each has another. */
  number: number;
  /** How to undo its changes, the last one last. Null while none runs: nothing then fails half-way. */
  undo: Undo[] | null;
}

/** A store in memory, for replay, simulation and tests. */
export class MemoryStore implements Store {
  private readonly tables = new Map<TableName, MemoryTable<TableName>>();
  private lastId = 0;
  /** How many transactions have not ended. */
  private open = 0;
  private queue: Promise<unknown> = Promise.resolve();
  private readonly running: Running = { number: 0, undo: null };
  private readonly transaction: Transaction = {
    table: (name) => this.table(name).view,
    hasChanged: (name) => this.tables.get(name)?.changedIn === this.running.number,
    decide: (_needs, decide) => Promise.resolve(this.decideIn(decide)),
    nextId: () => ++this.lastId,
  };
  private readonly view: View = {
    get: (name, id) => this.table(name).get(id),
    candidates: (key, now) => this.candidates.at(key, now),
  };
  private readonly candidates = new Candidates();

  write<T>(work: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    this.open += 1;
    const result = this.open === 1 ? this.run(work) : this.queue.then(() => this.run(work));
    this.queue = result.catch(() => undefined);
    return result;
  }

  read<T>(work: (transaction: ReadTransaction) => T | Promise<T>): Promise<T> {
    return this.write(work);
  }

  /** Decides something at once, while no transaction runs: all of it happens, or nothing if `decide` throws. */
  decide<T>(decide: (draft: Draft) => T): T {
    if (this.open > 0) throw new Error('a transaction is running');
    return this.decideIn(decide);
  }

  /** The rows whose key is at most `last`, by ascending key. */
  upTo<Name extends TableName>(name: Name, index: IndexName<Name>, last: number): Rows[Name][] {
    return this.table(name).upTo(index, last);
  }

  /** The row with the smallest key. */
  first<Name extends TableName>(name: Name, index: IndexName<Name>): Rows[Name] | undefined {
    return this.table(name).first(index);
  }

  /** Takes all rows out of a table. */
  drain<Name extends TableName>(name: Name): Rows[Name][] {
    return this.table(name).drain();
  }

  private decideIn<T>(decide: (draft: Draft) => T): T {
    const draft = new Draft(this.view, this.lastId);
    const result = decide(draft);
    for (const [name, rows] of draft.changes)
      for (const [id, row] of rows) this.table(name).change(id, row ?? undefined);
    this.lastId = draft.lastId;
    return result;
  }

  private async run<T>(work: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    const { lastId, running } = this;
    const undo: Undo[] = [];
    running.number += 1;
    running.undo = undo;
    try {
      return await work(this.transaction);
    } catch (error) {
      for (const step of undo.reverse()) step();
      this.lastId = lastId;
      throw error;
    } finally {
      running.undo = null;
      this.open -= 1;
    }
  }

  private table<Name extends TableName>(name: Name): MemoryTable<Name> {
    // The map holds under each name the table of that name; TypeScript cannot say so.
    let table = this.tables.get(name) as unknown as MemoryTable<Name> | undefined;
    if (table === undefined) {
      table = new MemoryTable(name, this.running, this.candidates);
      this.tables.set(name, table as unknown as MemoryTable<TableName>);
    }
    return table;
  }
}

const NONE: readonly IndexKey[] = [];

/** A table of a store in memory. */
class MemoryTable<Name extends TableName> {
  /** Made when a transaction asks for it: a simulation has none. */
  private made: Table<Name> | null = null;
  private readonly rows = new Map<IdOf<Name>, Rows[Name]>();
  /** Those that were asked for so far: a simulation never asks for some. */
  private readonly indexes = new Map<
    string,
    { readonly index: MemoryIndex; readonly keys: Index<Rows[Name]> }
  >();

  /** The number of the transaction that changed it last. */
  changedIn = -1;

  /** @param running notes each change. */
  constructor(
    private readonly name: Name,
    private readonly running: Running,
    private readonly candidates: Candidates,
  ) {}

  get view(): Table<Name> {
    return (this.made ??= this.asTable());
  }

  /** The row with this id. */
  get(id: IdOf<Name>): Rows[Name] | undefined {
    return this.rows.get(id);
  }

  /** Takes the row, or removes the one with this id. */
  change(id: IdOf<Name>, row: Rows[Name] | undefined): void {
    const before = this.rows.get(id);
    this.changedIn = this.running.number;
    this.running.undo?.push(() => this.set(id, before));
    this.set(id, row);
  }

  /** The rows whose key is at most `last`, by ascending key. */
  upTo(index: IndexName<Name>, last: number): Rows[Name][] {
    return this.at(this.index(index).upTo(last));
  }

  /** The row with the smallest key above `after`. */
  first(index: IndexName<Name>, after = -Infinity): Rows[Name] | undefined {
    const id = this.index(index).first(after);
    return id === undefined ? undefined : this.rows.get(id);
  }

  drain(): Rows[Name][] {
    const rows = [...this.rows.values()];
    this.rows.clear();
    this.indexes.clear();
    return rows;
  }

  private asTable(): Table<Name> {
    return {
      get: (id) => Promise.resolve(this.rows.get(id)),
      has: (id) => Promise.resolve(this.rows.has(id)),
      put: (row) => this.change(row.id, row),
      delete: (id) => this.change(id, undefined),
      where: (index, key) => Promise.resolve(this.at(this.index(index).at(key))),
      countWhere: (index, key) => Promise.resolve(this.index(index).at(key).length),
      upTo: (index, last) => Promise.resolve(this.upTo(index, last)),
      first: (index, after) => Promise.resolve(this.first(index, after)),
      latest: (limit, before = Infinity) => {
        const ids = [...this.rows.keys()].filter((id) => before === Infinity || Number(id) < before);
        return Promise.resolve(this.at(ids.sort(descending).slice(0, limit)));
      },
      count: () => Promise.resolve(this.rows.size),
      clear: () => {
        for (const id of [...this.rows.keys()]) this.change(id, undefined);
        return Promise.resolve();
      },
    };
  }

  private index(name: string): MemoryIndex {
    const known = this.indexes.get(name);
    if (known !== undefined) return known.index;
    const declared = declaredIndexes[this.name][name];
    if (declared === undefined) throw new RangeError(`there is no index "${name}"`);
    const index = new MemoryIndex();
    for (const [id, row] of this.rows) index.change(id, NONE, declared(row));
    this.indexes.set(name, { index, keys: declared });
    return index;
  }

  private set(id: IdOf<Name>, row: Rows[Name] | undefined): void {
    const before = this.rows.get(id);
    for (const { index, keys } of this.indexes.values())
      index.change(id, before === undefined ? NONE : keys(before), row === undefined ? NONE : keys(row));
    // Rows of this table are sources, which TypeScript cannot see.
    if (this.name === 'sources')
      this.candidates.change(before as Source | undefined, row as Source | undefined);
    if (row === undefined) this.rows.delete(id);
    else this.rows.set(id, row);
  }

  private at(ids: readonly IdOf<TableName>[]): Rows[Name][] {
    const found: Rows[Name][] = [];
    for (const id of ids) {
      const row = this.rows.get(id);
      if (row !== undefined) found.push(row);
    }
    return found;
  }
}

const descending = <Id extends IdOf<TableName>>(a: Id, b: Id): number => (a < b ? 1 : a > b ? -1 : 0);
