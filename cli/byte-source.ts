import { createReadStream, statSync } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { compressionOf, decompressor } from './compression';
import { InputError } from './input';

/** In bytes. Small files take no more than they need. */
const LARGEST_PART = 1 << 18;

/** A file of any size that is read once, from beginning to end. */
export class ByteSource {
  /** In bytes of the file, before decompression; null when unknown, as for a pipe. */
  readonly size: number | null;
  /** How many of these bytes have been read. */
  read = 0;

  /**
   * @param file a path, decompressed if it ends in .gz or .zst, or `-` for standard input.
   * @throws InputError when there is no such file, before any work begins.
   */
  constructor(readonly file: string) {
    this.size = file === '-' ? null : this.sizeOf(file);
  }

  private sizeOf(file: string): number | null {
    try {
      const found = statSync(file);
      return found.isFile() ? found.size : null;
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
    const decompressed = decompressor(this.file === '-' ? 'none' : compressionOf(this.file));
    // The reader of the last stream gets the error; the empty callback keeps it from being thrown as well.
    return pipeline(
      raw,
      (bytes: AsyncIterable<Buffer>) => this.counted(bytes),
      decompressed,
      () => undefined,
    );
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

/** Node's errors can come from another realm, where `instanceof` fails. */
const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
