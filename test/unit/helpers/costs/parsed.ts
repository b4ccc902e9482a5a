import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ROOT = path.join(__dirname, '../../../..');

const known = new Map<string, ts.SourceFile>();

/** A file of the repository, parsed once: all of them take seconds. */
export function parsedFile(file: string): ts.SourceFile {
  const before = known.get(file);
  if (before !== undefined) return before;
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  known.set(file, source);
  return source;
}
