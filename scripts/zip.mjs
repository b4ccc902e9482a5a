import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { zipSync } from 'fflate';

/** Zip has no time zone and begins in 1980: a constant time keeps the bytes equal on every machine. */
const mtime = new Date(1980, 0, 1);

/** Zips a folder. The same names and contents give the same bytes. */
export function zipFolder(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .map((file) => [path.relative(folder, file).split(path.sep).join('/'), readFileSync(file)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return zipSync(Object.fromEntries(files), { level: 9, mtime });
}
