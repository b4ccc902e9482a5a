import { existsSync } from 'node:fs';
import path from 'node:path';

/** The project's root folder, wherever this file is compiled to. */
export const root = ((): string => {
  let folder = __dirname;
  while (!existsSync(path.join(folder, 'package.json'))) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error(`cointoss: ${__dirname}: no folder above has a package.json`);
    folder = parent;
  }
  return folder;
})();
