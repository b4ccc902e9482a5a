import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ENDINGS = ['', '.ts', '.tsx', '.mjs', '.js', '/index.ts'];

/**
 * What each source file below these folders imports, also only as a type: paths from the working folder, with `/`. Packages are left out.
 * @returns {Map<string, readonly string[]>}
 */
export const importsBelow = (folders) =>
  new Map(folders.flatMap(filesIn).map((file) => [file, importsOf(file)]));

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/')))
    .filter((file) => /\.(tsx?|mjs|js)$/.test(file))
    .sort();

/** TypeScript's scanner finds imports without parsing the file. */
function importsOf(file) {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true);
  const found = importedFiles
    .filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => resolve(path.posix.join(path.posix.dirname(file), fileName)));
  return [...new Set(found)].filter((imported) => imported !== undefined);
}

const resolve = (name) => ENDINGS.map((ending) => name + ending).find(isFile);

const isFile = (name) => statSync(name, { throwIfNoEntry: false })?.isFile() === true;
