import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface CommandWorld {
  /** Everything the current test wrote to standard output and standard error. */
  readonly out: string[];
  readonly err: string[];
  /** A path in a folder of this test alone. */
  readonly pathOf: (name: string) => string;
  /** Writes a file there: a text unchanged, a list as lines of JSON, any other value as JSON. */
  readonly file: (name: string, content: string | object) => string;
}

/** Captures a command's output and gives it files to read; for a whole test file. */
export function useCommands(): CommandWorld {
  const out: string[] = [];
  const err: string[] = [];
  let folder = '';
  const pathOf = (name: string): string => join(folder, name);
  beforeEach(() => {
    out.length = 0;
    err.length = 0;
    folder = mkdtempSync(join(tmpdir(), 'cointoss-command-'));
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0);
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });
  return {
    out,
    err,
    pathOf,
    file: (name, content) => {
      const path = pathOf(name);
      writeFileSync(path, textOf(content));
      return path;
    },
  };
}

function textOf(content: string | object): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map((row) => `${JSON.stringify(row)}\n`).join('');
  return JSON.stringify(content);
}
