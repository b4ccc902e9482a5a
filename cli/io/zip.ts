import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib';
import { PackingError } from './packing-error';

type Bytes = AsyncIterable<Uint8Array>;

const FILE = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
/** What can come after the last file: data of the whole archive, its directory, and the directory's end. */
const AFTER_FILES = [0x08064b50, 0x02014b50, 0x06064b50, 0x06054b50];
/** In bytes: after a signature, up to the name. */
const HEADER = 26;
const ENCRYPTED = 1;
/** Checksum and sizes come after the content. */
const SIZES_LATER = 8;
const STORED = 0;
const DEFLATED = 8;
/** The number of the extra field that has the sizes in 64 bits (4.5.3). */
const WIDE = 1;
const WIDE_SIZE = 0xffffffff;
/** In bytes: of what nobody reads, this much may unpack. */
const MOST_IGNORED = 1 << 26;

/** What the header of a file says. */
interface Entry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly sizes: Sizes;
  readonly isWide: boolean;
}

interface Sizes {
  readonly checksum: number;
  readonly packed: number;
  readonly unpacked: number;
}

/**
 * Reads the only file in a ZIP archive (PKWARE's APPNOTE 6.3.10, of which the numbers are sections) from beginning to end. Folders and what
 * macOS adds do not count. The content is compared with its size and checksum, as with gzip after it was passed on.
 * @throws PackingError
 */
export async function* unzipped(bytes: Bytes): AsyncGenerator<Uint8Array, void, undefined> {
  const archive = new Archive(bytes);
  try {
    yield* contentIn(archive);
    await archive.skipRest();
  } finally {
    await archive.close();
  }
}

async function* contentIn(archive: Archive): AsyncGenerator<Uint8Array, void, undefined> {
  let found = false;
  for (let entry = await readEntry(archive); entry !== null; entry = await readEntry(archive)) {
    const isIgnored = entry.name.endsWith('/') || entry.name.startsWith('__MACOSX/');
    if (!isIgnored && found)
      throw new PackingError('is a ZIP archive of several files; unpack it first (unzip)');
    found ||= !isIgnored;
    let ignored = 0;
    for await (const some of contentOf(archive, entry))
      if (!isIgnored) yield some;
      else if ((ignored += some.length) > MOST_IGNORED)
        throw new PackingError('is a ZIP archive with a large file in __MACOSX; unpack it first (unzip)');
  }
  if (!found) throw new PackingError('is a ZIP archive without a file');
}

/** The next file's header; null after the last. */
async function readEntry(archive: Archive): Promise<Entry | null> {
  const signature = (await archive.read(4)).readUInt32LE();
  if (AFTER_FILES.includes(signature)) return null;
  if (signature !== FILE) throw damaged('has something else where a file or the directory begins');
  const header = await archive.read(HEADER);
  const name = (await archive.read(header.readUInt16LE(22))).toString();
  const extra = await archive.read(header.readUInt16LE(24));
  const sizes = {
    checksum: header.readUInt32LE(10),
    packed: header.readUInt32LE(14),
    unpacked: header.readUInt32LE(18),
  };
  const wide = wideSizes(extra);
  return {
    name,
    flags: header.readUInt16LE(2),
    method: header.readUInt16LE(4),
    sizes: wide === null ? sizes : withWide(sizes, wide),
    isWide: wide !== null,
  };
}

function wideSizes(extra: Buffer): Buffer | null {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2))
    if (extra.readUInt16LE(at) === WIDE) return extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
  return null;
}

function withWide({ checksum, packed, unpacked }: Sizes, wide: Buffer): Sizes {
  const numbers = [0, 8].filter((at) => at + 8 <= wide.length).map((at) => Number(wide.readBigUInt64LE(at)));
  return {
    checksum,
    unpacked: unpacked === WIDE_SIZE ? (numbers.shift() ?? unpacked) : unpacked,
    packed: packed === WIDE_SIZE ? (numbers.shift() ?? packed) : packed,
  };
}

async function* contentOf(archive: Archive, entry: Entry): AsyncGenerator<Uint8Array, void, undefined> {
  const { flags, method } = entry;
  if ((flags & ENCRYPTED) !== 0)
    throw new PackingError('is an encrypted ZIP archive; unpack it first (unzip)');
  const isSizeKnown = (flags & SIZES_LATER) === 0;
  if (method !== DEFLATED && (method !== STORED || !isSizeKnown))
    throw new PackingError(
      `is a ZIP archive with ${method === STORED ? 'a stored file without a size' : `compression method ${method}`}; unpack it first (unzip)`,
    );
  const begins = archive.position;
  const packed = isSizeKnown ? archive.part(entry.sizes.packed) : archive;
  let [checksum, unpacked] = [0, 0];
  for await (const some of method === STORED ? piecesOf(packed) : inflated(packed)) {
    checksum = crc32(some, checksum);
    unpacked += some.length;
    yield some;
  }
  const sizes = { checksum, packed: archive.position - begins, unpacked };
  const isAsSaid = isSizeKnown
    ? isEqual(entry.sizes, sizes)
    : await isDescribed(archive, sizes, entry.isWide);
  if (!isAsSaid) throw damaged('has a file that differs from its checksum or size');
}

const isEqual = (one: Sizes, other: Sizes): boolean =>
  one.checksum === other.checksum && one.packed === other.packed && one.unpacked === other.unpacked;

/** Reads what stands after the content. Some writers give its sizes 64 bits without saying so before. */
async function isDescribed(archive: Archive, sizes: Sizes, isWide: boolean): Promise<boolean> {
  let next = await archive.read(4);
  if (next.readUInt32LE() === DESCRIPTOR) next = await archive.read(4);
  if (next.readUInt32LE() !== sizes.checksum) return false;
  const narrow = await archive.read(8);
  const isNarrow = narrow.readUInt32LE() === sizes.packed && narrow.readUInt32LE(4) === sizes.unpacked;
  if (isNarrow && !isWide) return true;
  const wide = Buffer.concat([narrow, await archive.read(8)]);
  return (
    wide.readBigUInt64LE() === BigInt(sizes.packed) && wide.readBigUInt64LE(8) === BigInt(sizes.unpacked)
  );
}

/** Inflates up to the end of the compressed data, and leaves what comes after it. */
async function* inflated(packed: Packed): AsyncGenerator<Uint8Array, void, undefined> {
  const inflate = createInflateRaw();
  const feeding = feed(packed, inflate).catch((error: unknown) => inflate.destroy(error as Error));
  try {
    yield* inflate as Bytes;
  } catch (error) {
    throw isOfZlib(error) ? damaged('has a file that cannot be unpacked') : error;
  }
  await feeding;
}

/** One piece at a time, so that it is known which bytes zlib took. */
async function feed(packed: Packed, inflate: InflateRaw): Promise<void> {
  for (let piece = await packed.next(); piece !== null; piece = await packed.next()) {
    const before = inflate.bytesWritten;
    const given = piece;
    await new Promise<void>((written) => inflate.write(given, () => written()));
    const taken = inflate.bytesWritten - before;
    if (taken === given.length) continue;
    packed.unread(given.subarray(taken));
    return;
  }
  inflate.end();
}

const isOfZlib = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && String(error.code).startsWith('Z_');

const damaged = (how: string): PackingError => new PackingError(`is a damaged ZIP archive: ${how}`);

/** Bytes in the pieces in which they arrive. */
interface Packed {
  /** Null at the end. */
  next(): Promise<Uint8Array | null>;
  unread(piece: Uint8Array): void;
}

/** An archive that is read once. */
class Archive implements Packed {
  /** In bytes: how many were read. */
  position = 0;
  private readonly iterator: AsyncIterator<Uint8Array, unknown>;
  private rest: Uint8Array = new Uint8Array();

  constructor(bytes: Bytes) {
    this.iterator = bytes[Symbol.asyncIterator]();
  }

  async next(): Promise<Uint8Array | null> {
    let piece = this.rest;
    this.rest = new Uint8Array();
    while (piece.length === 0) {
      const next = await this.iterator.next();
      if (next.done === true) return null;
      piece = next.value;
    }
    this.position += piece.length;
    return piece;
  }

  unread(piece: Uint8Array): void {
    this.rest = piece;
    this.position -= piece.length;
  }

  /** @throws PackingError if there are fewer. */
  async read(length: number): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of piecesOf(this.part(length))) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** @returns its end throws PackingError if the archive ends before. */
  part(length: number): Packed {
    let left = length;
    return {
      next: async () => {
        if (left === 0) return null;
        const piece = await this.next();
        if (piece === null) throw damaged('ends too early');
        if (piece.length > left) this.unread(piece.subarray(left));
        const some = piece.subarray(0, left);
        left -= some.length;
        return some;
      },
      unread: (piece) => {
        left += piece.length;
        this.unread(piece);
      },
    };
  }

  /** So that a pipe is read to its end. */
  async skipRest(): Promise<void> {
    while ((await this.next()) !== null);
  }

  async close(): Promise<void> {
    await this.iterator.return?.();
  }
}

async function* piecesOf(packed: Packed): AsyncGenerator<Uint8Array, void, undefined> {
  for (let piece = await packed.next(); piece !== null; piece = await packed.next()) yield piece;
}
