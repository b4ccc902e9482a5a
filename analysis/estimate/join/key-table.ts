import { integers } from './column';
import { LargeMap } from './large-map';

const FIRST_SLOTS = 1 << 10;
/** Slots in a row that are looked at. In a table that is half full, a random key needs more with a probability of 2e-11 (Knuth, TAOCP 3, 6.4). */
const MOST_PROBES = 128;

/**
 * Numbers keys of some 32-bit words in the order of their first occurrence, from 0. A key takes its words and 8 to 16 bytes, a third of what it takes in a
 * `Map` of texts. Strangers choose the ids of reports, so keys can be made up to need the same slots. A `Map` has those that find none, because its hashes
 * are secret.
 */
export class KeyTable {
  size = 0;
  private readonly words = integers();
  /** The number of a key, plus 1; 0 in a free slot. */
  private slots = new Int32Array(FIRST_SLOTS);
  private readonly crowded = new LargeMap<string, number>();

  /** @param width how many words a key has */
  constructor(private readonly width: number) {}

  /** Undefined for a key that was not added. */
  numberOf(key: Int32Array): number | undefined {
    const slot = this.slotOf(key);
    if (slot === null) return this.crowded.get(key.join(' '));
    const taken = this.slots[slot] ?? 0;
    return taken > 0 ? taken - 1 : undefined;
  }

  /** The number of the key, which is the size from before if the key is new. */
  add(key: Int32Array): number {
    const known = this.numberOf(key);
    if (known !== undefined) return known;
    if (2 * (this.size + 1) > this.slots.length) this.grow();
    const number = this.size++;
    for (let place = 0; place < this.width; place++)
      this.words.set(number * this.width + place, key[place] ?? 0);
    this.put(key, number);
    return number;
  }

  /** Writes the key with a number into `key`. */
  read(number: number, key: Int32Array): void {
    for (let place = 0; place < this.width; place++) key[place] = this.words.get(number * this.width + place);
  }

  private put(key: Int32Array, number: number): void {
    const slot = this.slotOf(key);
    if (slot === null) this.crowded.set(key.join(' '), number);
    else this.slots[slot] = number + 1;
  }

  private grow(): void {
    this.slots = new Int32Array(2 * this.slots.length);
    const key = new Int32Array(this.width);
    for (let number = 0; number < this.size; number++) {
      this.read(number, key);
      this.put(key, number);
    }
  }

  /** The slot of the key, or a free slot for it; null if there is neither. */
  private slotOf(key: Int32Array): number | null {
    const mask = this.slots.length - 1;
    const first = hashOf(key, this.width);
    for (let probe = 0; probe < MOST_PROBES; probe++) {
      const slot = (first + probe) & mask;
      const taken = this.slots[slot] ?? 0;
      if (taken === 0 || this.isKey(taken - 1, key)) return slot;
    }
    return null;
  }

  private isKey(number: number, key: Int32Array): boolean {
    for (let place = 0; place < this.width; place++)
      if (this.words.get(number * this.width + place) !== key[place]) return false;
    return true;
  }
}

/** The finalizer of MurmurHash3 after each word. */
export function hashOf(key: Int32Array, width: number): number {
  let hash = 0;
  for (let place = 0; place < width; place++) {
    hash ^= key[place] ?? 0;
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return hash >>> 0;
}
