import { closeSync, createReadStream, readSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { formatOf, signatureOf } from '../../node/encoding';
import { openToRead } from '../../node/files';
import { InputError } from './input';
import { unpacked } from './unpacked';
import { PackingError } from './packing-error';

/** In bytes. Small files take only what they need. */
const LARGEST_PART = 1 << 18;
/**
 * The largest ratio of content to file size. Logs compress 5 to 100 times. Readers keep rows in memory, so files made to unpack without
 * end are refused.
 */
const LARGEST_RATIO = 1000;
/** In bytes. This much is allowed at any ratio: a short file of equal lines is harmless. */
const ALWAYS_ALLOWED = 1 << 26;
/** In bytes: the names of a table's columns, or the beginning of a row, are at most this long where a file is recognised by them. */
export const BEGINNING = 1 << 14;

/** A file of any size that is read once, from beginning to end. */
export class ByteSource {
  /** In bytes of the file, before decompression; null when unknown, as for a pipe. */
  readonly size: number | null;
  /** What the first bytes are. `text` is UTF-8 that is not packed; null where bytes can be read only once. */
  readonly content: 'text' | 'packed' | 'parquet' | 'avro' | null;
  /** The beginning of a text, with a byte order mark if it has one; otherwise empty. */
  readonly beginning: string;
  /** How many bytes of the file have been read. */
  read = 0;

  /**
   * @param file a path, or `-` for standard input.
   * @throws InputError, before any work begins, if the file does not exist or nothing here reads it.
   */
  constructor(readonly file: string) {
    this.size = file === '-' ? null : this.sizeOf();
    const bytes = this.size === null ? null : this.firstBytes();
    const signature = bytes === null ? null : signatureOf(bytes);
    const format = bytes === null ? null : formatOf(bytes);
    if (bytes === null) this.content = null;
    else if (signature === null) this.content = 'text';
    else if (signature.packing !== null) this.content = 'packed';
    else if (format !== null) this.content = format;
    else throw new InputError(`${file}: ${signature.what}; ${signature.remedy}`);
    this.beginning =
      this.content === 'text' ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes ?? undefined) : '';
  }

  private sizeOf(): number | null {
    try {
      const found = statSync(this.file);
      return found.isFile() ? found.size : null;
    } catch (error) {
      throw this.failure(error);
    }
  }

  private firstBytes(): Uint8Array {
    try {
      return beginningOf(this.file);
    } catch (error) {
      throw this.failure(error);
    }
  }

  /** The bytes of its text, whatever they are packed in. Failures become errors of the stream. */
  open(): Readable {
    const raw =
      this.file === '-'
        ? process.stdin
        : createReadStream(this.file, {
            highWaterMark: Math.max(Math.min(this.size ?? LARGEST_PART, LARGEST_PART), 1),
          });
    const text = unpacked(this.counted(raw), (bytes) => this.bounded(bytes));
    return Readable.from(this.named(text), { objectMode: false });
  }

  private async *named(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* bytes;
    } catch (error) {
      throw error instanceof PackingError ? new InputError(`${this.file}: ${error.message}`) : error;
    }
  }

  private async *bounded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    let length = 0;
    for await (const some of bytes) {
      length += some.length;
      if (length > Math.max(LARGEST_RATIO * this.read, ALWAYS_ALLOWED))
        throw new InputError(
          `${this.file}: must unpack to at most ${LARGEST_RATIO} times its size, but ${this.read} bytes gave ${length}; if they are meant, decompress it first`,
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

function beginningOf(file: string): Uint8Array {
  const descriptor = openToRead(file);
  try {
    const bytes = Buffer.alloc(BEGINNING);
    return bytes.subarray(0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}

/** Node's errors can come from another realm, where `instanceof` fails. */
const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
