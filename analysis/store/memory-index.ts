import type { IdOf, IndexKey, TableName } from '../../src/store/store';
import { insert, remove, SortedSet } from './sorted-set';

type Id = IdOf<TableName>;

/** The rows under each key of an index. */
export class MemoryIndex {
  private readonly byKey = new Map<IndexKey, Id[]>();
  /** The numbers among the keys in order, from the first search that needs it: most indexes are only asked for single keys. */
  private numbers: SortedSet<number> | null = null;

  /** The ids under a key, ascending. The caller must not change the list. */
  at(key: IndexKey): readonly Id[] {
    return this.byKey.get(key) ?? [];
  }

  /** The ids under numbers up to `last`, in ascending order of number, then id. */
  upTo(last: number): Id[] {
    const numbers = this.sortedNumbers();
    const found: Id[] = [];
    // Mostly none is so small.
    if ((numbers.next(-Infinity) ?? Infinity) > last) return found;
    for (const key of numbers.after(-Infinity)) {
      if (key > last) break;
      for (const id of this.at(key)) found.push(id);
    }
    return found;
  }

  /** An id under the smallest number above `after`. */
  first(after = -Infinity): Id | undefined {
    const smallest = this.sortedNumbers().next(after);
    return smallest === undefined ? undefined : this.at(smallest)[0];
  }

  /** Replaces the keys of a row; none: it was not there, or has gone. Most changes of a row leave most of its keys. */
  change(id: Id, before: readonly IndexKey[], keys: readonly IndexKey[]): void {
    for (const key of before) if (!keys.includes(key)) this.remove(key, id);
    for (const key of keys) if (!before.includes(key)) this.add(key, id);
  }

  private add(key: IndexKey, id: Id): void {
    const ids = this.byKey.get(key);
    if (ids === undefined) {
      this.byKey.set(key, [id]);
      if (typeof key === 'number') this.numbers?.add(key);
    } else insert(ids, id);
  }

  private remove(key: IndexKey, id: Id): void {
    const ids = this.byKey.get(key);
    if (ids === undefined) return;
    remove(ids, id);
    if (ids.length > 0) return;
    this.byKey.delete(key);
    if (typeof key === 'number') this.numbers?.delete(key);
  }

  private sortedNumbers(): SortedSet<number> {
    return (this.numbers ??= new SortedSet(
      [...this.byKey.keys()].filter((key) => typeof key === 'number').sort((a, b) => a - b),
    ));
  }
}
