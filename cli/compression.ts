import { createGunzip, gzipSync } from 'node:zlib';
import { PassThrough, Transform } from 'node:stream';
import { Decompress } from 'fzstd';

export type Compression = 'none' | 'gzip' | 'zstd';

export function compressionOf(file: string): Compression {
  if (file.endsWith('.gz')) return 'gzip';
  return file.endsWith('.zst') ? 'zstd' : 'none';
}

export function decompressor(compression: Compression): Transform {
  switch (compression) {
    case 'none':
      return new PassThrough();
    case 'gzip':
      return createGunzip();
    case 'zstd':
      return new ZstdDecompressor();
  }
}

/**
 * Compresses one part of a file as a gzip member (RFC 1952, 2.2) or a Zstandard frame (RFC 8878, 3.1). The concatenated parts are a valid
 * file, so a file can be cut after any part and continued.
 */
export type Compressor = (part: Uint8Array) => Uint8Array;

export async function compressor(compression: Compression): Promise<Compressor> {
  switch (compression) {
    case 'none':
      return (part) => part;
    case 'gzip':
      return (part) => gzipSync(part);
    case 'zstd': {
      // Loads WebAssembly, so only on demand.
      const { Zstd } = await import('@hpcc-js/wasm-zstd');
      const zstd = await Zstd.load();
      return (part) => zstd.compress(part);
    }
  }
}

class ZstdDecompressor extends Transform {
  private readonly frames = new Decompress((bytes) => void this.push(bytes));

  override _transform(bytes: Uint8Array, _: BufferEncoding, done: (error?: Error) => void): void {
    attempt(() => void this.frames.push(bytes), done);
  }

  override _flush(done: (error?: Error) => void): void {
    attempt(() => void this.frames.push(new Uint8Array(), true), done);
  }
}

function attempt(work: () => void, done: (error?: Error) => void): void {
  try {
    work();
  } catch (error) {
    done(new CorruptError(error instanceof Error ? error.message : String(error)));
    return;
  }
  done();
}

/** As zlib's errors, it has a code, by which readers know it. */
class CorruptError extends Error {
  readonly code = 'corrupt';
}
