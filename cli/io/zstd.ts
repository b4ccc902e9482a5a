import type { Zstd } from '@hpcc-js/wasm-zstd';

/** In bytes: the largest block (RFC 8878, 3.1.1.2.4). */
const LARGEST_BLOCK = 1 << 17;
/** In bytes: the largest window that the command `zstd` accepts without an option. */
const LARGEST_WINDOW = 1 << 27;

const FRAME = 0xfd2fb528;
const SKIPPABLE_FRAME = 0x184d2a50;
/** In bytes. */
const BLOCK_HEADER = 3;
const RAW = 0;
const RLE = 1;

const NOTHING = new Uint8Array();

/** Like zlib's errors, it has a code, by which readers recognise it. */
class CorruptError extends Error {
  readonly code = 'corrupt';
}

/** What comes next in the file. */
interface Part {
  readonly size: number;
  /** Reads it, sets the next part, and returns what it unpacks to. */
  readonly take: (bytes: Buffer) => Uint8Array;
}

/** The package's internals. Its `decompressChunk` copies through an array of numbers, and all files would share its state. */
interface LibZstd {
  readonly HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(at: number): void;
  readonly zstd: new () => {
    reset(): void;
    /** @returns how many bytes it wrote; 0 if it refuses the input. */
    decompressChunk(to: number, room: number, from: number, bytes: number): number;
    delete(): void;
  };
}

/** Loads WebAssembly, so only on demand. */
export async function loadZstd(): Promise<Zstd> {
  const module = await import('@hpcc-js/wasm-zstd');
  return module.Zstd.load();
}

/**
 * Unpacks Zstandard frames (RFC 8878, 3.1) block by block: an input of any size gives at most 128 KiB before the reader asks for more,
 * and no frame takes more memory than `LARGEST_WINDOW`. libzstd reports no error when it refuses a block or
 * checksum, but then returns no bytes.
 */
export class ZstdDecompressor {
  private readonly start: Part = { size: 4, take: (magic) => this.readMagic(magic) };
  private next: Part = this.start;
  private rest: Buffer = Buffer.of();
  private readonly library: LibZstd;
  private readonly stream: InstanceType<LibZstd['zstd']>;
  /** The places in memory from which the library reads and to which it writes. */
  private readonly input: number;
  private readonly output: number;

  constructor(zstd: Zstd) {
    this.library = (zstd['_mainModule'] as { readonly _module: LibZstd })._module;
    this.stream = new this.library.zstd();
    this.input = this.library._malloc(LARGEST_BLOCK + BLOCK_HEADER);
    this.output = this.library._malloc(LARGEST_BLOCK);
  }

  *push(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
    let left =
      this.rest.length === 0
        ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        : Buffer.concat([this.rest, bytes]);
    while (left.length >= this.next.size) {
      const { size, take } = this.next;
      const unpacked = take(left.subarray(0, size));
      left = left.subarray(size);
      if (unpacked.length > 0) yield unpacked;
    }
    this.rest = left;
  }

  /** @throws CorruptError unless the last frame was complete. */
  end(): void {
    if (this.next !== this.start || this.rest.length > 0)
      throw new CorruptError('unexpected end of the file');
  }

  /** Frees its memory. */
  close(): void {
    this.library._free(this.input);
    this.library._free(this.output);
    this.stream.delete();
  }

  private readMagic(magic: Buffer): Uint8Array {
    const number = magic.readUInt32LE();
    if ((number & 0xfffffff0) === SKIPPABLE_FRAME)
      this.next = { size: 4, take: (size) => this.skip(size.readUInt32LE()) };
    else if (number === FRAME)
      this.next = { size: 1, take: ([descriptor = 0]) => this.readDescriptor(descriptor) };
    else throw new CorruptError('not Zstandard');
    return NOTHING;
  }

  private skip(left: number): Uint8Array {
    const size = Math.min(left, LARGEST_BLOCK);
    this.next = left === 0 ? this.start : { size, take: () => this.skip(left - size) };
    return NOTHING;
  }

  private readDescriptor(descriptor: number): Uint8Array {
    const isOneSegment = (descriptor & 32) !== 0;
    const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
    const contentBytes = [isOneSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
    if ((descriptor & 8) !== 0) throw new CorruptError('a reserved bit is set');
    this.next = {
      size: (isOneSegment ? 0 : 1) + dictionaryBytes + contentBytes,
      take: (header) => {
        const window = isOneSegment
          ? contentSize(header.subarray(dictionaryBytes))
          : windowSize(header[0] ?? 0);
        if (window > LARGEST_WINDOW)
          throw new CorruptError(
            `a window of ${window} bytes, where ${LARGEST_WINDOW} are allowed; decompress it with zstd --long=31 and give it to this command on standard input`,
          );
        const hasChecksum = (descriptor & 4) !== 0;
        this.stream.reset();
        this.unpack(MAGIC, Buffer.of(descriptor), header);
        this.readBlock(hasChecksum);
        return NOTHING;
      },
    };
    return NOTHING;
  }

  private readBlock(hasChecksum: boolean): void {
    this.next = {
      size: BLOCK_HEADER,
      take: (header) => {
        const bits = header.readUIntLE(0, 3);
        const [isLast, kind, size] = [(bits & 1) !== 0, (bits >> 1) & 3, bits >> 3];
        if (size > LARGEST_BLOCK) throw new CorruptError(`a block of ${size} bytes`);
        // The part is only a view, and its bytes are overwritten later.
        const copy = Buffer.from(header);
        this.next = {
          size: kind === RLE ? 1 : size,
          take: (content) => {
            if (isLast) this.next = { size: hasChecksum ? 4 : 0, take: (checksum) => this.readEnd(checksum) };
            else this.readBlock(hasChecksum);
            const unpacked = this.unpack(copy, content);
            if (kind === RAW || kind === RLE ? unpacked.length !== size : unpacked.length === 0)
              throw new CorruptError('a block that cannot be unpacked');
            return unpacked;
          },
        };
        return NOTHING;
      },
    };
  }

  private readEnd(checksum: Buffer): Uint8Array {
    this.next = this.start;
    this.unpack(checksum);
    if (this.unpack(ONE_BYTE).length !== 1)
      throw new CorruptError('a frame that differs from its checksum or size');
    return NOTHING;
  }

  private unpack(...parts: readonly Uint8Array[]): Uint8Array {
    let end = this.input;
    for (const part of parts) {
      this.library.HEAPU8.set(part, end);
      end += part.length;
    }
    const written = this.stream.decompressChunk(this.output, LARGEST_BLOCK, this.input, end - this.input);
    return this.library.HEAPU8.slice(this.output, this.output + written);
  }
}

/** @throws CorruptError */
export async function* unpackedFrames(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const frames = new ZstdDecompressor(await loadZstd());
  try {
    for await (const some of bytes) yield* frames.push(some);
    frames.end();
  } finally {
    frames.close();
  }
}

const MAGIC = Buffer.of(0x28, 0xb5, 0x2f, 0xfd);
/** A frame that unpacks to one byte; to none after one that libzstd found wrong. */
const ONE_BYTE = Buffer.concat([MAGIC, Buffer.of(0x20, 1, 9, 0, 0, 0)]);

/** RFC 8878, 3.1.1.1.2. */
const windowSize = (descriptor: number): number => 2 ** (10 + (descriptor >> 3)) * (1 + (descriptor & 7) / 8);

/** RFC 8878, 3.1.1.1.4. */
function contentSize(bytes: Buffer): number {
  if (bytes.length === 8) return Number(bytes.readBigUInt64LE());
  return bytes.length === 2 ? bytes.readUInt16LE() + 256 : bytes.readUIntLE(0, bytes.length);
}
