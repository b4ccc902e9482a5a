import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Makes a folder, and those above it. Node's `recursive` never returns where the system says ENOENT to every new folder, as in /proc. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (existsSync(folder) && statSync(folder).isDirectory()) return;
    const above = path.dirname(path.resolve(folder));
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(above)) throw error;
    makeFolder(above);
    makeFolder(folder);
  }
}
