import { evenly, LzmaError, RangeInput } from './lzma-range';

/* The decoder of LZMA, as its specification describes it (Pavlov 2015), within the chunks of LZMA2. */

const STATES = 12;
const FIRST_AFTER_LITERALS = 7;
const SHORTEST_MATCH = 2;
const LENGTH_STATES = 4;
const SLOT_BITS = 6;
const FIRST_DIRECT_SLOT = 4;
const FIRST_LONG_SLOT = 14;
const ALIGN_BITS = 4;
const LITERAL_SIZE = 0x300;

/** In bytes, as with `xz -9`. */
export const LARGEST_WINDOW = 1 << 26;
const SMALLEST_WINDOW = 1 << 16;

/** What was unpacked last, to which matches refer. One window serves all blocks of a file, and takes the memory that their bytes need. */
export class Window {
  private bytes: Uint8Array = new Uint8Array(SMALLEST_WINDOW);
  /** In bytes: how far back matches may refer. */
  private size = 0;
  /** How many bytes came since it was empty. */
  position = 0;
  private at = 0;
  private length = 0;

  /** Empties the window, which then has at most so many bytes. */
  limit(size: number): void {
    this.size = size;
    this.reset();
  }

  reset(): void {
    this.at = 0;
    this.length = 0;
    this.position = 0;
  }

  put(byte: number): void {
    if (this.at === this.bytes.length) this.grow();
    this.bytes[this.at] = byte;
    this.position += 1;
    this.at = this.at + 1 === this.size ? 0 : this.at + 1;
    if (this.length < this.size) this.length += 1;
  }

  private grow(): void {
    const larger = new Uint8Array(Math.min(2 * this.bytes.length, LARGEST_WINDOW));
    larger.set(this.bytes);
    this.bytes = larger;
  }

  /** @param distance from 0, the last byte */
  byte(distance: number): number {
    const place = this.at - 1 - distance;
    return this.bytes[place < 0 ? place + this.size : place] ?? 0;
  }

  has(distance: number): boolean {
    return distance < this.length;
  }

  get isEmpty(): boolean {
    return this.length === 0;
  }
}

/** The odds of how long a match is. */
class Lengths {
  private readonly choice = evenly(2);
  private readonly low = evenly(16 << 3);
  private readonly middle = evenly(16 << 3);
  private readonly high = evenly(256);

  read(input: RangeInput, position: number): number {
    if (input.bit(this.choice, 0) === 0) return input.tree(this.low, position << 3, 3);
    if (input.bit(this.choice, 1) === 0) return 8 + input.tree(this.middle, position << 3, 3);
    return 16 + input.tree(this.high, 0, 8);
  }
}

/** The odds, which each chunk continues unless it begins anew. */
export class Lzma {
  private state = 0;
  private readonly recent: [number, number, number, number] = [0, 0, 0, 0];
  private readonly literals: Uint16Array;
  private readonly isMatch = evenly(STATES << 4);
  private readonly isRecent = evenly(STATES);
  private readonly isRecent0 = evenly(STATES);
  private readonly isRecent1 = evenly(STATES);
  private readonly isRecent2 = evenly(STATES);
  private readonly isRecent0Long = evenly(STATES << 4);
  private readonly slots = evenly(LENGTH_STATES << SLOT_BITS);
  private readonly distances = evenly(128);
  private readonly aligned = evenly(1 << ALIGN_BITS);
  private readonly matchLengths = new Lengths();
  private readonly recentLengths = new Lengths();

  /** @param properties of literals and positions: how many bits each takes into account */
  constructor(
    private readonly properties: {
      readonly context: number;
      readonly literal: number;
      readonly position: number;
    },
    private readonly window: Window,
  ) {
    this.literals = evenly(LITERAL_SIZE << (properties.context + properties.literal));
  }

  /** Unpacks a chunk. @throws LzmaError */
  chunk(bytes: Uint8Array, size: number): Uint8Array {
    const input = new RangeInput(bytes);
    const output = new Uint8Array(size);
    let length = 0;
    const put = (byte: number): void => {
      output[length++] = byte;
      this.window.put(byte);
    };
    while (length < size) {
      const position = this.window.position & ((1 << this.properties.position) - 1);
      if (input.bit(this.isMatch, (this.state << 4) + position) === 0) {
        put(this.literal(input));
        this.state = this.state < 4 ? 0 : this.state < 10 ? this.state - 3 : this.state - 6;
        continue;
      }
      const count = this.match(input, position);
      const [distance] = this.recent;
      if (!this.window.has(distance)) throw new LzmaError('a match goes too far back');
      if (length + count > size) throw new LzmaError('a chunk has more than its size');
      for (let left = count; left > 0; left--) put(this.window.byte(distance));
    }
    if (!input.isAtEnd) throw new LzmaError('a chunk has less than its size');
    return output;
  }

  private literal(input: RangeInput): number {
    const { context, literal } = this.properties;
    const before = this.window.isEmpty ? 0 : this.window.byte(0);
    const low = this.window.position & ((1 << literal) - 1);
    const start = LITERAL_SIZE * ((low << context) + (before >>> (8 - context)));
    let node = 1;
    if (this.state >= FIRST_AFTER_LITERALS) {
      let matched = this.window.byte(this.recent[0]);
      while (node < 0x100) {
        const expected = (matched >>> 7) & 1;
        matched <<= 1;
        const bit = input.bit(this.literals, start + ((1 + expected) << 8) + node);
        node = 2 * node + bit;
        if (bit !== expected) break;
      }
    }
    while (node < 0x100) node = 2 * node + input.bit(this.literals, start + node);
    return node & 0xff;
  }

  /** @returns its length. Its distance is then the most recent one. */
  private match(input: RangeInput, position: number): number {
    const { state, recent } = this;
    const isEarly = state < FIRST_AFTER_LITERALS;
    if (input.bit(this.isRecent, state) === 0) {
      const length = this.matchLengths.read(input, position);
      recent[3] = recent[2];
      recent[2] = recent[1];
      recent[1] = recent[0];
      recent[0] = this.distance(input, length);
      this.state = isEarly ? 7 : 10;
      return length + SHORTEST_MATCH;
    }
    if (input.bit(this.isRecent0, state) === 0) {
      if (input.bit(this.isRecent0Long, (state << 4) + position) === 0) {
        this.state = isEarly ? 9 : 11;
        return 1;
      }
    } else {
      const place = input.bit(this.isRecent1, state) === 0 ? 1 : 2 + input.bit(this.isRecent2, state);
      const distance = recent[place] ?? 0;
      if (place === 3) recent[3] = recent[2];
      if (place >= 2) recent[2] = recent[1];
      recent[1] = recent[0];
      recent[0] = distance;
    }
    this.state = isEarly ? 8 : 11;
    return this.recentLengths.read(input, position) + SHORTEST_MATCH;
  }

  private distance(input: RangeInput, length: number): number {
    const slot = input.tree(this.slots, Math.min(length, LENGTH_STATES - 1) << SLOT_BITS, SLOT_BITS);
    if (slot < FIRST_DIRECT_SLOT) return slot;
    const bits = (slot >>> 1) - 1;
    const base = (2 | (slot & 1)) * 2 ** bits;
    if (slot < FIRST_LONG_SLOT) return base + input.reversed(this.distances, base - slot, bits);
    return (
      base + input.direct(bits - ALIGN_BITS) * 2 ** ALIGN_BITS + input.reversed(this.aligned, 0, ALIGN_BITS)
    );
  }
}
