import { ByteInput } from './byte-input';
import { PackingError } from './packing-error';

/** In bytes. A block has at most 900,000 symbols of at most 20 bits, and tables. */
const LONGEST_BLOCK = 2_400_000;
const LONGEST_CODE = 20;

export const damaged = (why: string): PackingError => new PackingError(`is damaged bzip2: ${why}`);

/** Reads bits, the highest of each byte first. */
export class BitInput {
  private readonly input: ByteInput;
  private buffer: Uint8Array = new Uint8Array();
  private at = 0;
  private kept = 0;
  private count = 0;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.input = new ByteInput(bytes, () => damaged('ends too early'));
  }

  /** Reads on until a whole block is there. @returns whether there is more */
  async fill(): Promise<boolean> {
    this.input.skip(this.at);
    this.at = 0;
    this.buffer = await this.input.upTo(LONGEST_BLOCK);
    return this.count > 0 || this.buffer.length > 0;
  }

  /** Skips the zeros that tapes and disks leave after a stream. */
  async skipZeros(): Promise<void> {
    while ((await this.fill()) && this.buffer[0] === 0) while (this.buffer[this.at] === 0) this.at++;
  }

  async close(): Promise<void> {
    await this.input.close();
  }

  /** @param count at most 16 */
  bits(count: number): number {
    while (this.count < count) {
      const byte = this.buffer[this.at++];
      if (byte === undefined) throw damaged('ends too early');
      this.kept = ((this.kept & 0xffff) << 8) | byte;
      this.count += 8;
    }
    this.count -= count;
    return (this.kept >>> this.count) & ((1 << count) - 1);
  }

  mark(): number {
    return (this.bits(16) * 0x10000 + this.bits(16)) * 0x10000 + this.bits(16);
  }

  align(): void {
    this.count = 0;
  }
}

/** A code: for each length the last value, and where its symbols begin. */
interface Code {
  readonly limits: Int32Array;
  readonly offsets: Int32Array;
  readonly symbols: Uint16Array;
}

export function codeIn(input: BitInput, symbols: number): Code {
  const lengths = new Uint8Array(symbols);
  let length = input.bits(5);
  for (let symbol = 0; symbol < symbols; symbol++) {
    while (input.bits(1) === 1) length += input.bits(1) === 1 ? -1 : 1;
    if (length < 1 || length > LONGEST_CODE) throw damaged('has a code of a wrong length');
    lengths[symbol] = length;
  }
  const limits = new Int32Array(LONGEST_CODE + 1).fill(-1);
  const offsets = new Int32Array(LONGEST_CODE + 1);
  const ordered: number[] = [];
  let value = 0;
  for (let of = 1; of <= LONGEST_CODE; of++) {
    offsets[of] = ordered.length - value;
    for (let symbol = 0; symbol < symbols; symbol++)
      if (lengths[symbol] === of) {
        ordered.push(symbol);
        value++;
      }
    limits[of] = value - 1;
    value *= 2;
  }
  return { limits, offsets, symbols: Uint16Array.from(ordered) };
}

export function symbolIn(input: BitInput, { limits, offsets, symbols }: Code): number {
  let value = 0;
  for (let length = 1; length <= LONGEST_CODE; length++) {
    value = (value << 1) | input.bits(1);
    if (value > (limits[length] ?? -1)) continue;
    const symbol = symbols[value + (offsets[length] ?? 0)];
    if (symbol !== undefined) return symbol;
  }
  throw damaged('has an unknown symbol');
}
