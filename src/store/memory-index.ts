import type { InternalId } from '../model/records';
import type { IndexKey } from './store';

/** The rows under each key of an index. Keys and ids are sorted, so that finding what is due does not slow down as rows grow. */
export class MemoryIndex {
  private readonly byKey = new Map<IndexKey, InternalId[]>();
  private readonly numbers: number[] = [];

  /** Ascending ids. The caller must not change the list. */
  at(key: IndexKey): readonly InternalId[] {
    return this.byKey.get(key) ?? [];
  }

  /** The ids under numbers up to `last`, in ascending order of number, then id. */
  upTo(last: number): InternalId[] {
    const found: InternalId[] = [];
    for (const key of this.numbers) {
      if (key > last) break;
      found.push(...this.at(key));
    }
    return found;
  }

  first(after = -Infinity): InternalId | undefined {
    const smallest = this.numbers.find((key) => key > after);
    return smallest === undefined ? undefined : this.at(smallest)[0];
  }

  add(key: IndexKey, id: InternalId): void {
    const ids = this.byKey.get(key);
    if (ids !== undefined) {
      insert(ids, id);
      return;
    }
    this.byKey.set(key, [id]);
    if (typeof key === 'number') insert(this.numbers, key);
  }

  remove(key: IndexKey, id: InternalId): void {
    const ids = this.byKey.get(key);
    if (ids === undefined) return;
    remove(ids, id);
    if (ids.length > 0) return;
    this.byKey.delete(key);
    if (typeof key === 'number') remove(this.numbers, key);
  }
}

/** The index of an item in an ascending list, or where to insert it. */
function placeOf(ascending: readonly number[], item: number): number {
  // New ids are usually the greatest.
  if (item > (ascending.at(-1) ?? -Infinity)) return ascending.length;
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? Infinity) < item) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insert(ascending: number[], item: number): void {
  const place = placeOf(ascending, item);
  if (ascending[place] !== item) ascending.splice(place, 0, item);
}

function remove(ascending: number[], item: number): void {
  const place = placeOf(ascending, item);
  if (ascending[place] === item) ascending.splice(place, 1);
}
