import { BitInput, codeIn, damaged, symbolIn } from './bzip2-input';

const BLOCK = 0x314159265359;
const END = 0x177245385090;
/** How many symbols in a row use the same code. */
const GROUP = 50;
const PIECE = 1 << 16;
const [RUN_A, RUN_B] = [0, 1];

/**
 * Unpacks one or more bzip2 streams in a row, and checks their checksums. Memory holds one block at a time. Packages want the whole
 * file in memory (seek-bzip, bzip2-wasm) or are written for the streams of Node 0.10 (unbzip2-stream).
 */
export async function* unbzipped(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const input = new BitInput(bytes);
  const unpacking = new BlockReader(input);
  try {
    while (await input.fill()) {
      yield* streamIn(input, unpacking);
      await input.skipZeros();
    }
  } finally {
    await input.close();
  }
}

async function* streamIn(
  input: BitInput,
  unpacking: BlockReader,
): AsyncGenerator<Uint8Array, void, undefined> {
  const level = String.fromCharCode(input.bits(8), input.bits(8), input.bits(8), input.bits(8));
  if (!/^BZh[1-9]$/.test(level)) throw damaged('has something else');
  const size = Number(level.slice(3)) * 100_000;
  let sums = 0;
  for (let mark = input.mark(); mark !== END; mark = input.mark()) {
    if (mark !== BLOCK) throw damaged('has a block that does not begin as one');
    const sum = input.bits(16) * 0x10000 + input.bits(16);
    const found = new Sum();
    for (const piece of piecesOf(unpacking.block(size))) {
      found.add(piece);
      yield piece;
    }
    if (found.value !== sum) throw damaged('differs from its checksum');
    sums = ((sums << 1) | (sums >>> 31)) ^ sum;
    await input.fill();
  }
  if (input.bits(16) * 0x10000 + input.bits(16) !== sums >>> 0) throw damaged('differs from its checksum');
  input.align();
}

const SMALLEST = 1 << 12;

/** Reads blocks, and undoes the transformation of Burrows and Wheeler. One array serves all blocks, and is as long as they need. */
class BlockReader {
  private places = new Uint32Array(SMALLEST);

  constructor(private readonly input: BitInput) {}

  block(size: number): Uint8Array {
    const { input } = this;
    if (input.bits(1) === 1) throw damaged('is of a version before 0.9.5');
    const origin = input.bits(8) * 0x10000 + input.bits(16);
    const recent = usedBytes(input);
    if (recent.length === 0) throw damaged('has a block without bytes');
    const groups = input.bits(3);
    const selectors = selectorsIn(input, groups);
    const end = recent.length + 1;
    const codes = Array.from({ length: groups }, () => codeIn(input, end + 1));
    const counts = new Uint32Array(257);
    let [length, run, weight] = [0, 0, 1];
    for (let number = 0; ; number++) {
      const code = codes[selectors[Math.floor(number / GROUP)] ?? -1];
      if (code === undefined) throw damaged('has too few codes');
      const symbol = symbolIn(input, code);
      if (symbol === RUN_A || symbol === RUN_B) {
        run += weight * (symbol + 1);
        weight *= 2;
        if (run > size) throw damaged('has a block that is too long');
        continue;
      }
      if (length + run > size) throw damaged('has a block that is too long');
      const repeated = recent[0] ?? 0;
      const places = this.withRoom(length + run + 1);
      places.fill(repeated, length, length + run);
      counts[repeated + 1] = (counts[repeated + 1] ?? 0) + run;
      length += run;
      [run, weight] = [0, 1];
      if (symbol === end) break;
      if (length === size) throw damaged('has a block that is too long');
      const byte = recent[symbol - 1] ?? 0;
      recent.copyWithin(1, 0, symbol - 1);
      recent[0] = byte;
      places[length++] = byte;
      counts[byte + 1] = (counts[byte + 1] ?? 0) + 1;
    }
    if (origin >= length) throw damaged('has a block without its beginning');
    return untransformed(this.places.subarray(0, length), counts, origin);
  }

  private withRoom(length: number): Uint32Array {
    if (length <= this.places.length) return this.places;
    const larger = new Uint32Array(Math.max(length, 2 * this.places.length));
    larger.set(this.places);
    return (this.places = larger);
  }
}

function usedBytes(input: BitInput): Uint8Array {
  const rows = input.bits(16);
  const used: number[] = [];
  for (let row = 0; row < 16; row++) {
    if ((rows & (0x8000 >> row)) === 0) continue;
    const cells = input.bits(16);
    for (let cell = 0; cell < 16; cell++) if ((cells & (0x8000 >> cell)) !== 0) used.push(16 * row + cell);
  }
  return Uint8Array.from(used);
}

/** The number of the code that each group of symbols uses. */
function selectorsIn(input: BitInput, groups: number): Uint8Array {
  const count = input.bits(15);
  if (groups < 2 || groups > 6 || count === 0) throw damaged('has no codes');
  const recent = Uint8Array.from({ length: groups }, (_, group) => group);
  return Uint8Array.from({ length: count }, () => {
    let place = 0;
    while (input.bits(1) === 1) place++;
    const group = recent[place];
    if (group === undefined) throw damaged('has an unknown code');
    recent.copyWithin(1, 0, place);
    recent[0] = group;
    return group;
  });
}

/** @param counts of each byte, one place later */
function untransformed(places: Uint32Array, counts: Uint32Array, origin: number): Uint8Array {
  for (let byte = 1; byte < counts.length; byte++)
    counts[byte] = (counts[byte] ?? 0) + (counts[byte - 1] ?? 0);
  for (let index = 0; index < places.length; index++) {
    const byte = (places[index] ?? 0) & 0xff;
    const place = counts[byte] ?? 0;
    counts[byte] = place + 1;
    places[place] = (places[place] ?? 0) | (index << 8);
  }
  const bytes = new Uint8Array(places.length);
  let place = (places[origin] ?? 0) >>> 8;
  for (let index = 0; index < bytes.length; index++) {
    const found = places[place] ?? 0;
    bytes[index] = found & 0xff;
    place = found >>> 8;
  }
  return bytes;
}

/** Four equal bytes are followed by how many more there are. */
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  // Four equal bytes and a number make 259.
  let piece = new Uint8Array(Math.min(PIECE, 64 * bytes.length));
  let [length, last, equal] = [0, -1, 0];
  for (const byte of bytes) {
    const count = equal === 4 ? byte : 1;
    if (equal === 4) equal = 0;
    else {
      equal = byte === last ? equal + 1 : 1;
      last = byte;
    }
    if (length + count > PIECE) {
      yield piece.subarray(0, length);
      piece = new Uint8Array(PIECE);
      length = 0;
    }
    piece.fill(last, length, length + count);
    length += count;
  }
  if (length > 0) yield piece.subarray(0, length);
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit++) sum = sum < 0 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  return sum >>> 0;
});

/** CRC-32 as bzip2 has it, with the highest bit first. */
class Sum {
  private sum = 0xffffffff;

  add(bytes: Uint8Array): void {
    let { sum } = this;
    for (const byte of bytes) sum = (sum << 8) ^ (TABLE[(sum >>> 24) ^ byte] ?? 0);
    this.sum = sum;
  }

  get value(): number {
    return ~this.sum >>> 0;
  }
}
