const [TOP_BITS, MODEL_BITS, MOVE_BITS] = [24, 11, 5];
const EVEN = 1 << (MODEL_BITS - 1);

/** The compressed data do not decode. */
export class LzmaError extends Error {}

export const evenly = (size: number): Uint16Array => new Uint16Array(size).fill(EVEN);

/** The range decoder over one chunk. */
export class RangeInput {
  private range = 0xffffffff;
  private code = 0;
  private at = 1;

  constructor(private readonly bytes: Uint8Array) {
    for (let count = 0; count < 4; count++) this.code = ((this.code << 8) | this.next()) >>> 0;
    if (bytes[0] !== 0) throw new LzmaError('a chunk begins with something else');
  }

  private next(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new LzmaError('a chunk ends too early');
    return byte;
  }

  private normalize(): void {
    if (this.range >>> TOP_BITS !== 0) return;
    this.range = (this.range << 8) >>> 0;
    this.code = ((this.code << 8) | this.next()) >>> 0;
  }

  bit(odds: Uint16Array, place: number): number {
    this.normalize();
    const odd = odds[place] ?? EVEN;
    const bound = (this.range >>> MODEL_BITS) * odd;
    if (this.code < bound) {
      this.range = bound;
      odds[place] = odd + (((1 << MODEL_BITS) - odd) >>> MOVE_BITS);
      return 0;
    }
    this.range -= bound;
    this.code -= bound;
    odds[place] = odd - (odd >>> MOVE_BITS);
    return 1;
  }

  direct(count: number): number {
    let value = 0;
    for (let left = count; left > 0; left--) {
      this.normalize();
      this.range >>>= 1;
      const isOne = this.code >= this.range;
      if (isOne) this.code -= this.range;
      value = value * 2 + (isOne ? 1 : 0);
    }
    return value;
  }

  tree(odds: Uint16Array, start: number, bits: number): number {
    let node = 1;
    for (let left = bits; left > 0; left--) node = 2 * node + this.bit(odds, start + node);
    return node - (1 << bits);
  }

  /** The lowest bit first. */
  reversed(odds: Uint16Array, start: number, bits: number): number {
    let [node, value] = [1, 0];
    for (let place = 0; place < bits; place++) {
      const bit = this.bit(odds, start + node);
      node = 2 * node + bit;
      value |= bit << place;
    }
    return value;
  }

  /** Whether all of the chunk was needed. */
  get isAtEnd(): boolean {
    this.normalize();
    return this.at === this.bytes.length && this.code === 0;
  }
}
