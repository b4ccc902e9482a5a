/** Makes an empty database of PGlite as one file: to load it takes a quarter of the time in which PostgreSQL makes one. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { root } from './console.mjs';

const { version } = JSON.parse(
  readFileSync(path.join(root, 'node_modules/@electric-sql/pglite/package.json'), 'utf8'),
);

/** @returns the file, which is made once for each version of PGlite. */
export async function emptyPglite() {
  const file = path.join(root, `.data/empty-pglite-${version}.tar.gz`);
  if (isWhole(file)) return file;
  const database = await PGlite.create('memory://');
  const dump = await database.dumpDataDir('gzip');
  await database.close();
  mkdirSync(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  try {
    // Without `flush`, a file of the right name could be empty after a power failure.
    writeFileSync(draft, new Uint8Array(await dump.arrayBuffer()), { flush: true });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  return file;
}

/** A gzip file ends with a checksum. */
function isWhole(file) {
  try {
    gunzipSync(readFileSync(file));
    return true;
  } catch {
    return false;
  }
}
