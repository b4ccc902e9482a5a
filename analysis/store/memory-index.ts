import type { InternalId } from '../../src/model/records';
import { groupOf, type IndexKey, type KeyRange } from '../../src/store/store';

/** The rows under each key of an index. Keys and ids are sorted, so that finding what is due does not slow down as rows grow. */
export class MemoryIndex {
  private readonly byKey = new Map<IndexKey, InternalId[]>();
  private readonly keys = new Map<InternalId, readonly IndexKey[]>();
  private readonly numbers: number[] = [];
  private readonly texts: string[] = [];

  /** The ids under a key, ascending, or under the keys in a range, by ascending key. The caller must not change the list. */
  at(keys: IndexKey | KeyRange): readonly InternalId[] {
    if (typeof keys !== 'object') return this.byKey.get(keys) ?? [];
    const [first, end] = [placeAfter(this.texts, keys.above), placeOf(this.texts, keys.below)];
    return this.texts.slice(first, end).flatMap((key) => this.at(key));
  }

  /** The ids under numbers up to `last`, in ascending order of number, then id. */
  upTo(last: number): InternalId[] {
    return this.numbers.slice(0, placeAfter(this.numbers, last)).flatMap((key) => this.at(key));
  }

  /** The last key of each group, descending, with its last id. */
  lastOfEach({ above, below }: KeyRange): readonly (readonly [key: string, id: InternalId])[] {
    const found: [string, InternalId][] = [];
    for (let end = below; ;) {
      const key = this.texts[placeOf(this.texts, end) - 1];
      const id = key === undefined || key <= above ? undefined : this.at(key).at(-1);
      if (key === undefined || id === undefined) return found;
      found.push([key, id]);
      end = groupOf(key);
    }
  }

  first(after = -Infinity): InternalId | undefined {
    const smallest = this.numbers.find((key) => key > after);
    return smallest === undefined ? undefined : this.at(smallest)[0];
  }

  /** The keys of a row from now on; none: it has gone. Most changes of a row leave most of its keys. */
  set(id: InternalId, keys: readonly IndexKey[]): void {
    const before = this.keys.get(id) ?? [];
    for (const key of before) if (!keys.includes(key)) this.remove(key, id);
    for (const key of keys) if (!before.includes(key)) this.add(key, id);
    if (keys.length > 0) this.keys.set(id, keys);
    else this.keys.delete(id);
  }

  private add(key: IndexKey, id: InternalId): void {
    const ids = this.byKey.get(key);
    if (ids !== undefined) {
      insert(ids, id);
      return;
    }
    this.byKey.set(key, [id]);
    if (typeof key === 'number') insert(this.numbers, key);
    else insert(this.texts, key);
  }

  private remove(key: IndexKey, id: InternalId): void {
    const ids = this.byKey.get(key);
    if (ids === undefined) return;
    remove(ids, id);
    if (ids.length > 0) return;
    this.byKey.delete(key);
    if (typeof key === 'number') remove(this.numbers, key);
    else remove(this.texts, key);
  }
}

/** The index of an item in an ascending list, or where to insert it. */
function placeOf<T extends IndexKey>(ascending: readonly T[], item: T): number {
  // New ids are usually the greatest.
  const last = ascending.at(-1);
  if (last === undefined || item > last) return ascending.length;
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = ascending[middle];
    if (found !== undefined && found < item) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the first item after `item`. */
function placeAfter<T extends IndexKey>(ascending: readonly T[], item: T): number {
  const place = placeOf(ascending, item);
  return ascending[place] === item ? place + 1 : place;
}

function insert<T extends IndexKey>(ascending: T[], item: T): void {
  const place = placeOf(ascending, item);
  if (ascending[place] !== item) ascending.splice(place, 0, item);
}

function remove<T extends IndexKey>(ascending: T[], item: T): void {
  const place = placeOf(ascending, item);
  if (ascending[place] === item) ascending.splice(place, 1);
}
