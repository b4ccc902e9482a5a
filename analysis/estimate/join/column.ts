/** Bits of the length of the first block. */
const FIRST_BITS = 10;

/**
 * A column of numbers that grows in blocks, each twice as long as the one before. Nothing is copied when it grows, and the system gives a block memory
 * only where it was written. Numbers that were not set are 0.
 */
export class Column<Block extends Float64Array | Int32Array | Uint8Array = Int32Array> {
  private readonly blocks: Block[] = [];

  constructor(private readonly make: (length: number) => Block) {}

  get(index: number): number {
    const block = blockOf(index);
    return this.blocks[block]?.[index - firstOf(block)] ?? 0;
  }

  set(index: number, value: number): void {
    const block = blockOf(index);
    while (this.blocks.length <= block) this.blocks.push(this.make(2 ** (FIRST_BITS + this.blocks.length)));
    const values = this.blocks[block];
    if (values !== undefined) values[index - firstOf(block)] = value;
  }
}

const blockOf = (index: number): number => 31 - Math.clz32((index >>> FIRST_BITS) + 1);

/** By shifts: a power takes as long as all else that reads a number. */
const firstOf = (block: number): number => ((1 << block) - 1) << FIRST_BITS;

export const integers = (): Column => new Column((length) => new Int32Array(length));

/** Also of numbers beyond 32 bits, such as times. */
export const doubles = (): Column<Float64Array> => new Column((length) => new Float64Array(length));

export const bytes = (): Column<Uint8Array> => new Column((length) => new Uint8Array(length));
