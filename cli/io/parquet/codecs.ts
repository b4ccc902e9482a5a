import { gunzipSync } from 'node:zlib';
import type { Zstd } from '@hpcc-js/wasm-zstd';
import type { Compressors, FileMetaData } from 'hyparquet';
import { Cursor, ParquetError } from './bytes';
import { loadZstd, ZstdDecompressor } from '../zstd';

/** Decompresses the pages of a file. No codec gives more bytes than the page's header states. */
export async function codecsOf({ row_groups }: FileMetaData): Promise<Compressors> {
  const isZstd = row_groups.some(({ columns }) =>
    columns.some(({ meta_data }) => meta_data?.codec === 'ZSTD'),
  );
  const zstd = isZstd ? await loadZstd() : null;
  return {
    GZIP: (bytes, size) => gunzipSync(bytes, { maxOutputLength: Math.max(size, 1) }),
    SNAPPY: unpackSnappy,
    ...(zstd === null ? {} : { ZSTD: (bytes, size) => unpackZstd(zstd, bytes, size) }),
  };
}

function unpackZstd(zstd: Zstd, bytes: Uint8Array, size: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let length = 0;
  const frames = new ZstdDecompressor(zstd);
  try {
    for (const part of frames.push(bytes)) {
      length += part.length;
      if (length > size) throw new ParquetError(`more than ${size} bytes in a page`);
      parts.push(part);
    }
    frames.end();
  } finally {
    frames.close();
  }
  return Buffer.concat(parts);
}

/** hyparquet's codec does not end if lengths wrap around. */
function unpackSnappy(bytes: Uint8Array, size: number): Uint8Array {
  const from = new Cursor(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const to = new Uint8Array(size);
  if (from.count() !== size) throw new ParquetError(`not ${size} bytes in a page`);
  let at = 0;
  while (from.left > 0) {
    const tag = from.byte();
    const kind = tag & 3;
    const length =
      kind === 0 ? literalLength(from, tag >> 2) : kind === 1 ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2);
    if (length > size - at) throw new ParquetError(`more than ${size} bytes in a page`);
    if (kind === 0) {
      copy(bytes, from.at, to, at, length);
      from.skip(length);
    } else {
      const back = kind === 1 ? (tag >> 5) * 256 + from.byte() : from.little(kind === 2 ? 2 : 4);
      if (back === 0 || back > at) throw new ParquetError(`a copy from ${back} bytes before byte ${at}`);
      copy(to, at - back, to, at, length);
    }
    at += length;
  }
  if (at < size) throw new ParquetError(`${at} of ${size} bytes in a page`);
  return to;
}

const literalLength = (from: Cursor, code: number): number => 1 + (code < 60 ? code : from.little(code - 59));

/** Byte by byte, because a copy may read what it writes, and most copies are short. */
function copy(from: Uint8Array, start: number, to: Uint8Array, at: number, length: number): void {
  for (let index = 0; index < length; index++) to[at + index] = from[start + index] ?? 0;
}
