import { closeSync, createReadStream, readSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { SIGNATURE_LENGTH, signatureOf, type Signature } from '../../node/encoding';
import { openToRead } from '../../node/files';
import { compressionOf, decompressed } from './compression';
import { InputError } from './input';

/** In bytes. Small files take only what they need. */
const LARGEST_PART = 1 << 18;
/**
 * The largest ratio of content to file size. Logs compress 5 to 100 times. Readers keep rows in memory, so files made to unpack without
 * end are refused.
 */
const LARGEST_RATIO = 1000;
/** In bytes. This much is allowed at any ratio: a short file of equal lines is harmless. */
const ALWAYS_ALLOWED = 1 << 26;

/** A file of any size that is read once, from beginning to end. */
export class ByteSource {
  /** In bytes of the file, before decompression; null when unknown, as for a pipe. */
  readonly size: number | null;
  /** How many of these bytes have been read. */
  read = 0;

  /**
   * @param file a path, decompressed if it ends in .gz or .zst, or `-` for standard input.
   * @throws InputError, before any work begins, if the file does not exist or its content does not match its name.
   */
  constructor(readonly file: string) {
    this.size = file === '-' ? null : this.sizeOf(file);
  }

  private sizeOf(file: string): number | null {
    try {
      const found = statSync(file);
      if (!found.isFile()) return null;
      refuseOther(file, beginningOf(file));
      return found.size;
    } catch (error) {
      throw this.failure(error);
    }
  }

  /** The decompressed bytes. Failures become errors of the stream. */
  open(): Readable {
    const raw =
      this.file === '-'
        ? process.stdin
        : createReadStream(this.file, {
            highWaterMark: Math.max(Math.min(this.size ?? LARGEST_PART, LARGEST_PART), 1),
          });
    const compression = this.file === '-' ? 'none' : compressionOf(this.file);
    const counted = Readable.from(this.counted(raw), { objectMode: false });
    return Readable.from(this.bounded(decompressed(compression, counted)), { objectMode: false });
  }

  private async *bounded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    let unpacked = 0;
    for await (const some of bytes) {
      // Standard input, pipes and the content of compressed files were not checked before.
      if (unpacked === 0) refuseContent(this.file, some);
      unpacked += some.length;
      if (unpacked > Math.max(LARGEST_RATIO * this.read, ALWAYS_ALLOWED))
        throw new InputError(
          `${this.file}: must unpack to at most ${LARGEST_RATIO} times its size, but ${this.read} bytes gave ${unpacked}; if they are meant, decompress it first`,
        );
      yield some;
    }
  }

  private async *counted(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    for await (const some of bytes) {
      this.read += some.length;
      yield some;
    }
  }

  failure(error: unknown): InputError {
    if (error instanceof InputError) return error;
    return new InputError(`${this.file}: cannot be read: ${messageOf(error)}`);
  }
}

/** @throws InputError if the first bytes show another format than the name. */
function refuseOther(file: string, beginning: Uint8Array): void {
  const found = signatureOf(beginning);
  if (found === null || (found.ending !== null && file.endsWith(found.ending))) return;
  throw new InputError(`${file}: ${found.what}; ${remedy(file, found)}`);
}

/** @throws InputError if the first bytes, after decompression, show a format that this file cannot have. */
function refuseContent(file: string, beginning: Uint8Array): void {
  if (file === '-' || compressionOf(file) === 'none') {
    refuseOther(file, beginning);
    return;
  }
  const found = signatureOf(beginning);
  if (found === null) return;
  const what =
    found.ending === null ? found.remedy : `unpack it into a file whose name ends in ${found.ending}`;
  throw new InputError(`${file}: what is in it ${found.what}; ${what}`);
}

function remedy(file: string, { ending, remedy: other }: Signature): string {
  if (ending === null) return other;
  return file === '-' ? `give it as a file whose name ends in ${ending}` : `name it ${file}${ending}`;
}

function beginningOf(file: string): Uint8Array {
  const descriptor = openToRead(file);
  try {
    const bytes = Buffer.alloc(SIGNATURE_LENGTH);
    return bytes.subarray(0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}

/** Node's errors can come from another realm, where `instanceof` fails. */
const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
