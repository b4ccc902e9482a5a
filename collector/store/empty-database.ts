import { closeSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createFile, makeFolder, writeAll } from '../../node/files';

/**
 * The tar file of an empty database, which PostgreSQL would take seconds to make.
 * @throws Error when it is missing or damaged.
 */
export const readEmpty = (file: string): Uint8Array<ArrayBuffer> => gunzipSync(readFileSync(file));

const BLOCK = 512;
const FOLDER = '5';

/** Unpacks a tar file whose names are short, as those of PostgreSQL are. Only the owner can open what it makes. */
export function unpack(tar: Uint8Array, folder: string): void {
  const text = (start: number, length: number): string =>
    Buffer.from(tar.subarray(start, start + length))
      .toString('latin1')
      .replace(/\0.*$/s, '');
  for (let at = 0; text(at, 1) !== '';) {
    const name = path.join(folder, text(at, 100));
    const size = Number.parseInt(text(at + 124, 12), 8);
    const start = at + BLOCK;
    if (text(at + 156, 1) === FOLDER) makeFolder(name, 'owner');
    else write(name, tar.subarray(start, start + size));
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
}

function write(name: string, bytes: Uint8Array): void {
  const descriptor = createFile(name, 'owner');
  try {
    writeAll(descriptor, bytes);
  } finally {
    closeSync(descriptor);
  }
}
