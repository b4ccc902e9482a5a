import { pipeline, type Readable } from 'node:stream';
import { createGunzip, gzipSync } from 'node:zlib';
import { loadZstd, ZstdDecompressor } from './zstd';

export type Compression = 'none' | 'gzip' | 'zstd';

export function compressionOf(file: string): Compression {
  if (file.endsWith('.gz')) return 'gzip';
  return file.endsWith('.zst') ? 'zstd' : 'none';
}

/** The decompressed bytes, only as many at a time as the reader asks for. */
export function decompressed(compression: Compression, bytes: Readable): AsyncIterable<Uint8Array> {
  switch (compression) {
    case 'none':
      return bytes;
    case 'gzip':
      // The reader of the last stream gets the error; the empty callback prevents a second throw.
      return pipeline(bytes, createGunzip(), () => undefined);
    case 'zstd':
      return unpackedFrames(bytes);
  }
}

async function* unpackedFrames(
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
      const zstd = await loadZstd();
      return (part) => zstd.compress(part);
    }
  }
}
