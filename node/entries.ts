import { readdirSync } from 'node:fs';
import path from 'node:path';

/** The paths of all that is in a folder and its folders. A link is an entry: it is not followed, so that no circle of links can be gone through. */
export const entriesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    return entry.isDirectory() ? [name, ...entriesBelow(name)] : [name];
  });
