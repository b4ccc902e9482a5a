import type { InternalId } from '../../src/model/records';
import { groupOf, type IndexKey, type KeyRange } from '../../src/store/store';
import { insert, remove, SortedSet } from './sorted-set';

/** The rows under each key of an index. */
export class MemoryIndex {
  private readonly byKey = new Map<IndexKey, InternalId[]>();
  /** The keys in order, from the first search that needs it: most indexes are only asked for single keys. */
  private numbers: SortedSet<number> | null = null;
  private texts: SortedSet<string> | null = null;

  /** The ids under a key, ascending, or under the keys in a range, by ascending key. The caller must not change the list. */
  at(keys: IndexKey | KeyRange): readonly InternalId[] {
    if (typeof keys !== 'object') return this.byKey.get(keys) ?? [];
    const found: InternalId[] = [];
    for (const key of this.sortedTexts().after(keys.above)) {
      if (key >= keys.below) break;
      for (const id of this.at(key)) found.push(id);
    }
    return found;
  }

  /** The ids under numbers up to `last`, in ascending order of number, then id. */
  upTo(last: number): InternalId[] {
    const numbers = this.sortedNumbers();
    const found: InternalId[] = [];
    // Mostly none is so small.
    if ((numbers.next(-Infinity) ?? Infinity) > last) return found;
    for (const key of numbers.after(-Infinity)) {
      if (key > last) break;
      for (const id of this.at(key)) found.push(id);
    }
    return found;
  }

  /** The last key of each group, descending, with its last id. */
  lastOfEach({ above, below }: KeyRange): readonly (readonly [key: string, id: InternalId])[] {
    const texts = this.sortedTexts();
    const found: [string, InternalId][] = [];
    for (let end = below; ;) {
      const key = texts.before(end);
      const id = key === undefined || key <= above ? undefined : this.at(key).at(-1);
      if (key === undefined || id === undefined) return found;
      found.push([key, id]);
      end = groupOf(key);
    }
  }

  /** An id under the smallest number above `after`. */
  first(after = -Infinity): InternalId | undefined {
    const smallest = this.sortedNumbers().next(after);
    return smallest === undefined ? undefined : this.at(smallest)[0];
  }

  /** Replaces the keys of a row; none: it was not there, or has gone. Most changes of a row leave most of its keys. */
  change(id: InternalId, before: readonly IndexKey[], keys: readonly IndexKey[]): void {
    for (const key of before) if (!keys.includes(key)) this.remove(key, id);
    for (const key of keys) if (!before.includes(key)) this.add(key, id);
  }

  private add(key: IndexKey, id: InternalId): void {
    const ids = this.byKey.get(key);
    if (ids === undefined) {
      this.byKey.set(key, [id]);
      if (typeof key === 'number') this.numbers?.add(key);
      else this.texts?.add(key);
    } else insert(ids, id);
  }

  private remove(key: IndexKey, id: InternalId): void {
    const ids = this.byKey.get(key);
    if (ids === undefined) return;
    remove(ids, id);
    if (ids.length > 0) return;
    this.byKey.delete(key);
    if (typeof key === 'number') this.numbers?.delete(key);
    else this.texts?.delete(key);
  }

  private sortedNumbers(): SortedSet<number> {
    return (this.numbers ??= new SortedSet(
      [...this.byKey.keys()].filter((key) => typeof key === 'number').sort((a, b) => a - b),
    ));
  }

  private sortedTexts(): SortedSet<string> {
    return (this.texts ??= new SortedSet(
      [...this.byKey.keys()].filter((key) => typeof key === 'string').sort(),
    ));
  }
}
