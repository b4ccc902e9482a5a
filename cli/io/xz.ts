import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { ByteInput } from './byte-input';
import { LARGEST_WINDOW, Lzma, Window } from './lzma';
import { LzmaError } from './lzma-range';
import { PackingError } from './packing-error';

const MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0];
const FOOTER_MAGIC = [0x59, 0x5a];
const LZMA2 = 0x21;
/** How long the sum of a block is, by its kind. */
const SUM_LENGTHS: Readonly<Record<number, number>> = { 0: 0, 1: 4, 4: 8, 10: 32 };

const damaged = (why: string): PackingError => new PackingError(`is damaged xz: ${why}`);
const UNPACK = 'unpack it first (unxz)';

/**
 * Unpacks xz (format 1.1.0), of which several streams may follow each other, and checks its sums. A chunk at a time is in memory. The package
 * xz-decompress locks out a second file until the first was read to its end, so commands that read two files side by side would wait for ever.
 */
export async function* unpackedXz(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const input = new ByteInput(bytes, () => damaged('ends too early'));
  const window = new Window();
  try {
    while (await input.hasMore()) {
      const flags = await headerIn(input);
      let blocks = 0;
      for (let size = await input.byte(); size !== 0; size = await input.byte()) {
        yield* blockIn(input, size, flags[1] ?? 0, window);
        blocks += 1;
      }
      await endIn(input, blocks, flags);
      while (input.at % 4 !== 0 || (await input.isZero())) await input.byte();
    }
  } finally {
    await input.close();
  }
}

async function headerIn(input: ByteInput): Promise<Uint8Array> {
  const magic = await input.take(MAGIC.length);
  if (!MAGIC.every((byte, index) => magic[index] === byte)) throw damaged('has something else');
  const flags = await input.take(2);
  checkSum(flags, await input.take(4));
  if (flags[0] !== 0 || SUM_LENGTHS[flags[1] ?? 0] === undefined)
    throw new PackingError(`is compressed with xz with an unknown check; ${UNPACK}`);
  return flags;
}

function checkSum(bytes: Uint8Array, sum: Uint8Array): void {
  if (crc32(bytes) !== new DataView(sum.buffer, sum.byteOffset).getUint32(0, true))
    throw damaged('differs from its checksum');
}

async function* blockIn(
  input: ByteInput,
  size: number,
  check: number,
  window: Window,
): AsyncGenerator<Uint8Array, void, undefined> {
  const rest = await input.take(4 * size - 1);
  const header = Buffer.concat([Uint8Array.of(size), rest]);
  checkSum(header, await input.take(4));
  window.limit(windowSize(header));
  const sum = new BlockSum(check);
  for await (const piece of chunksIn(input, window)) {
    sum.add(piece);
    yield piece;
  }
  while (input.at % 4 !== 0) if ((await input.byte()) !== 0) throw damaged('has something else');
  if (!sum.is(await input.take(SUM_LENGTHS[check] ?? 0))) throw damaged('differs from its checksum');
}

/** @param header of a block, which may have sizes that nobody needs */
function windowSize(header: Buffer): number {
  const flags = header[1] ?? 0;
  let at = 2;
  for (const has of [0x40, 0x80]) if ((flags & has) !== 0) while ((header[at++] ?? 0) > 0x7f);
  const [id, length, bits = 0] = header.subarray(at);
  if ((flags & 0x3f) !== 0 || id !== LZMA2 || length !== 1)
    throw new PackingError(`is compressed with xz with another filter; ${UNPACK}`);
  const size = (2 | (bits & 1)) * 2 ** ((bits >>> 1) + 11);
  if (size > LARGEST_WINDOW)
    throw new PackingError(`is compressed with xz with a window above 64 MiB; ${UNPACK}`);
  return size;
}

async function* chunksIn(input: ByteInput, window: Window): AsyncGenerator<Uint8Array, void, undefined> {
  let [lzma, properties]: [Lzma | null, ReturnType<typeof propertiesOf> | null] = [null, null];
  let isFirst = true;
  for (let control = await input.byte(); control !== 0; control = await input.byte()) {
    if (control === 1 || control >= 0xe0) window.reset();
    else if (isFirst) throw damaged('has a chunk without a beginning');
    isFirst = false;
    const [high = 0, low = 0, packedHigh = 0, packedLow = 0] = await input.take(control < 0x80 ? 2 : 4);
    const size = (high << 8) + low + 1;
    if (control < 0x80) {
      if (control > 2) throw damaged('has an unknown chunk');
      const piece = await input.take(size);
      for (const byte of piece) window.put(byte);
      yield piece;
      continue;
    }
    if (control >= 0xc0) properties = propertiesOf(await input.byte());
    if (control >= 0xa0) lzma = properties === null ? null : new Lzma(properties, window);
    if (lzma === null) throw damaged('has a chunk without a beginning');
    const packed = await input.take((packedHigh << 8) + packedLow + 1);
    try {
      yield lzma.chunk(packed, ((control & 0x1f) << 16) + size);
    } catch (error) {
      throw error instanceof LzmaError ? damaged(error.message) : error;
    }
  }
}

function propertiesOf(byte: number): ConstructorParameters<typeof Lzma>[0] {
  const [context, rest] = [byte % 9, Math.floor(byte / 9)];
  const found = { context, literal: rest % 5, position: Math.floor(rest / 5) };
  if (byte > 224 || found.context + found.literal > 4) throw damaged('has unknown properties');
  return found;
}

/** The index and the footer. @param flags of the header, which the footer repeats */
async function endIn(input: ByteInput, blocks: number, flags: Uint8Array): Promise<void> {
  const index = [0];
  const number = async (): Promise<number> => {
    let value = 0;
    for (let place = 0; place < 9; place++) {
      const byte = await input.byte();
      index.push(byte);
      value += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) return value;
    }
    throw damaged('has an unknown number');
  };
  if ((await number()) !== blocks) throw damaged('has another number of blocks');
  for (let count = 0; count < 2 * blocks; count++) await number();
  while (index.length % 4 !== 0) index.push(await input.byte());
  checkSum(Uint8Array.from(index), await input.take(4));
  const sum = await input.take(4);
  const rest = await input.take(6);
  checkSum(rest, sum);
  const magic = await input.take(2);
  const isEnd = FOOTER_MAGIC.every((byte, place) => magic[place] === byte);
  if (!isEnd || rest[4] !== flags[0] || rest[5] !== flags[1]) throw damaged('has something else');
}

/** CRC-64 (ECMA-182), by halves: numbers have 53 bits. */
const TABLE = Array.from({ length: 256 }, (_, byte) => {
  let sum = BigInt(byte);
  for (let bit = 0; bit < 8; bit++) sum = (sum & 1n) === 1n ? (sum >> 1n) ^ 0xc96c5795d7870f42n : sum >> 1n;
  return sum;
});
const [LOW, HIGH] = [
  Uint32Array.from(TABLE, (sum) => Number(sum & 0xffffffffn)),
  Uint32Array.from(TABLE, (sum) => Number(sum >> 32n)),
];

class BlockSum {
  private crc = 0;
  private low = 0xffffffff;
  private high = 0xffffffff;
  private readonly hash = createHash('sha256');

  constructor(private readonly check: number) {}

  add(bytes: Uint8Array): void {
    if (this.check === 1) this.crc = crc32(bytes, this.crc);
    if (this.check === 10) this.hash.update(bytes);
    if (this.check !== 4) return;
    let { low, high } = this;
    for (const byte of bytes) {
      const place = (low ^ byte) & 0xff;
      low = (((low >>> 8) | (high << 24)) ^ (LOW[place] ?? 0)) >>> 0;
      high = ((high >>> 8) ^ (HIGH[place] ?? 0)) >>> 0;
    }
    this.low = low;
    this.high = high;
  }

  is(sum: Uint8Array): boolean {
    const found = Buffer.alloc(8);
    found.writeUInt32LE(this.check === 1 ? this.crc : ~this.low >>> 0);
    found.writeUInt32LE(~this.high >>> 0, 4);
    return (this.check === 10 ? this.hash.digest() : found.subarray(0, SUM_LENGTHS[this.check])).equals(sum);
  }
}
