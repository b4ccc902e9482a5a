import { closeSync, existsSync, readFileSync } from 'node:fs';
import { createFile, cut, openOwn, openOwnToAppend, writeAll } from './files';

/*
 * Private files of lines that a run continues after it was stopped.
 */

/** @throws Error when it is not there, or `openOwn` refuses it. */
export function readOwn(file: string): string {
  const descriptor = openOwn(file);
  try {
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The lines of a file; none if the file does not exist. An incomplete last line is removed.
 * @throws Error when `openOwn` refuses the file.
 */
export function readOwnLines(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  const descriptor = openOwn(file);
  try {
    const bytes = readFileSync(descriptor);
    const whole = bytes.lastIndexOf('\n') + 1;
    if (whole < bytes.length) cut(descriptor, whole);
    return bytes.toString('utf8', 0, whole).split('\n').slice(0, -1);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Adds a line to a file, which need not exist. Lines that several processes add are all kept.
 * @throws Error as above.
 */
export function addOwnLine(file: string, line: string): void {
  try {
    closeSync(createFile(file, 'owner'));
  } catch (error) {
    // Also when another process has just made it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const descriptor = openOwnToAppend(file);
  try {
    writeAll(descriptor, Buffer.from(`${line}\n`));
  } finally {
    closeSync(descriptor);
  }
}
