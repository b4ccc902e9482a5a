import type { IndexKey } from '../../src/store/store';

/** A block with so many items is cut in two. */
const MOST_IN_BLOCK = 512;

/** Different items in ascending order. They are in blocks, so that a change moves few others, however many there are. */
export class SortedSet<T extends IndexKey> {
  private readonly blocks: T[][] = [];

  /** @param ascending what it has from the beginning, without repetitions. */
  constructor(ascending: readonly T[] = []) {
    for (let start = 0; start < ascending.length; start += MOST_IN_BLOCK / 2)
      this.blocks.push(ascending.slice(start, start + MOST_IN_BLOCK / 2));
  }

  /** Adds the item, if it is not there. */
  add(item: T): void {
    // What is greater than all others belongs at the end of the last block.
    const place = Math.max(Math.min(this.blockOf(item), this.blocks.length - 1), 0);
    const block = (this.blocks[place] ??= []);
    insert(block, item);
    if (block.length >= MOST_IN_BLOCK) this.blocks.splice(place + 1, 0, block.splice(MOST_IN_BLOCK / 2));
  }

  /** Removes the item, if it is there. */
  delete(item: T): void {
    const place = this.blockOf(item);
    const block = this.blocks[place];
    if (block === undefined) return;
    remove(block, item);
    if (block.length === 0) this.blocks.splice(place, 1);
  }

  /** From the smallest that is greater than `item`. */
  *after(item: T): Generator<T, void, undefined> {
    const first = this.blockOf(item);
    for (let place = first; place < this.blocks.length; place++) {
      const block = this.blocks[place] ?? [];
      for (let within = place === first ? placeOf(block, item) : 0; within < block.length; within++) {
        const found = block[within];
        if (found !== undefined && found !== item) yield found;
      }
    }
  }

  /** The smallest that is greater than `item`. */
  next(item: T): T | undefined {
    const place = this.blockOf(item);
    const block = this.blocks[place] ?? [];
    const within = placeOf(block, item);
    return block[block[within] === item ? within + 1 : within] ?? this.blocks[place + 1]?.[0];
  }

  /** The greatest that is smaller than `item`. */
  before(item: T): T | undefined {
    const place = this.blockOf(item);
    const block = this.blocks[place] ?? [];
    return block[placeOf(block, item) - 1] ?? this.blocks[place - 1]?.at(-1);
  }

  /** The index of the block that has the item if any has; the number of blocks if the item is greater than all others. */
  private blockOf(item: T): number {
    return firstPlace(this.blocks.length, (place) => (this.blocks[place]?.at(-1) ?? item) >= item);
  }
}

/** Adds an item to an ascending list, unless it is there. */
export function insert<T extends IndexKey>(ascending: T[], item: T): void {
  const place = placeOf(ascending, item);
  if (place === ascending.length) ascending.push(item);
  else if (ascending[place] !== item) ascending.splice(place, 0, item);
}

export function remove<T extends IndexKey>(ascending: T[], item: T): void {
  const place = placeOf(ascending, item);
  if (ascending[place] === item) ascending.splice(place, 1);
}

/** The index of an item in an ascending list, or where to insert it. */
const placeOf = <T extends IndexKey>(ascending: readonly T[], item: T): number =>
  firstPlace(ascending.length, (place) => (ascending[place] ?? item) >= item);

/** The first place below `count` that holds, where all after it hold, too; `count` if none does. */
function firstPlace(count: number, holds: (place: number) => boolean): number {
  // What is new is usually the greatest.
  if (count === 0 || !holds(count - 1)) return count;
  let [low, high] = [0, count - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
