import { readdirSync } from 'node:fs';
import path from 'node:path';

/** The paths of everything in a folder and its subfolders. A link is an entry and is not followed, so circles of links do no harm. */
export const entriesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    return entry.isDirectory() ? [name, ...entriesBelow(name)] : [name];
  });
