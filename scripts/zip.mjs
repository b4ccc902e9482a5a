import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { zipSync } from 'fflate';

/** Zip has no time zone and begins in 1980: the same moment on every clock. */
const mtime = new Date(1980, 0, 1);

/** The files of a folder as a zip that is the same, byte for byte, for the same names and contents. */
export function zipFolder(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .map((file) => [path.relative(folder, file).split(path.sep).join('/'), readFileSync(file)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return zipSync(Object.fromEntries(files), { level: 9, mtime });
}
