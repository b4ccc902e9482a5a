import { existsSync } from 'node:fs';
import path from 'node:path';

/** The project's root folder, wherever this file is compiled to. */
export const root = ((): string => {
  let folder = __dirname;
  while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  return folder;
})();
