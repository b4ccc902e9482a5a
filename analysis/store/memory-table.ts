import {
  indexes,
  type IdOf,
  type Index,
  type IndexKey,
  type IndexName,
  type Indexes,
  type Rows,
  type TableName,
} from '../../src/store/rows';
import { TimeIndex } from './time-index';

const declared: Indexes = indexes;

/** A table in memory: its rows by id. Times are indexed once somebody asks for them; a search for another key looks at all rows. */
export class MemoryTable<Name extends TableName> {
  private readonly rows = new Map<IdOf<Name>, Rows[Name]>();
  private readonly times = new Map<
    IndexName<Name>,
    { readonly keys: Index<Rows[Name]>; readonly index: TimeIndex<IdOf<Name>> }
  >();

  constructor(private readonly name: Name) {}

  get size(): number {
    return this.rows.size;
  }

  /** The row with this id. */
  get(id: IdOf<Name>): Rows[Name] | undefined {
    return this.rows.get(id);
  }

  /** Takes the row, or with undefined removes it. @returns the row with this id so far */
  set(id: IdOf<Name>, row: Rows[Name] | undefined): Rows[Name] | undefined {
    const before = this.rows.get(id);
    if (row === undefined) {
      this.rows.delete(id);
      return before;
    }
    this.rows.set(id, row);
    for (const { keys, index } of this.times.values())
      addTimes(index, keys(row), id, before === undefined ? [] : keys(before));
    return before;
  }

  /** Removes all rows, and returns them. */
  drain(): readonly Rows[Name][] {
    if (this.rows.size === 0) return [];
    const rows = [...this.rows.values()];
    this.rows.clear();
    this.times.clear();
    return rows;
  }

  /** All rows, by descending id. */
  latest(): Rows[Name][] {
    return [...this.rows.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  /** The rows with a key, by ascending id. */
  where(name: IndexName<Name>, key: IndexKey): Rows[Name][] {
    const keys = this.keys(name);
    return this.latest()
      .filter((row) => keys(row).includes(key))
      .reverse();
  }

  /** The rows whose key is at most `last`, by ascending key. */
  upTo(name: IndexName<Name>, last: number): Rows[Name][] {
    return this.timesOf(name)
      .upTo(last)
      .flatMap((id) => this.rows.get(id) ?? []);
  }

  /** The row with the smallest key above `after`. */
  first(name: IndexName<Name>, after = -Infinity): Rows[Name] | undefined {
    const id = this.timesOf(name).first(after);
    return id === undefined ? undefined : this.rows.get(id);
  }

  private timesOf(name: IndexName<Name>): TimeIndex<IdOf<Name>> {
    const known = this.times.get(name);
    if (known !== undefined) return known.index;
    const keys = this.keys(name);
    const index = new TimeIndex<IdOf<Name>>((id, time) => {
      const row = this.rows.get(id);
      return row !== undefined && keys(row).includes(time);
    });
    for (const [id, row] of this.rows) addTimes(index, keys(row), id);
    this.times.set(name, { keys, index });
    return index;
  }

  private keys(name: string): Index<Rows[Name]> {
    const keys = declared[this.name][name];
    if (keys === undefined) throw new RangeError(`there is no index "${name}"`);
    return keys;
  }
}

/** Notes the times that the index does not have yet. */
function addTimes<Id extends string | number>(
  index: TimeIndex<Id>,
  keys: readonly IndexKey[],
  id: Id,
  before: readonly IndexKey[] = [],
): void {
  for (const key of keys) if (typeof key === 'number' && !before.includes(key)) index.add(key, id);
}
