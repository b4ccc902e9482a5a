import { gzipSync } from 'node:zlib';

export type Compression = 'none' | 'gzip' | 'zstd';

export function compressionOf(file: string): Compression {
  if (file.endsWith('.gz')) return 'gzip';
  return file.endsWith('.zst') ? 'zstd' : 'none';
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
      const { loadZstd } = await import('./zstd');
      const zstd = await loadZstd();
      return (part) => zstd.compress(part);
    }
  }
}
