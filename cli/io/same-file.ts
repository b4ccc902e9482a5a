import { fstatSync, realpathSync, statSync, type BigIntStats } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { InputError } from './input';

const STANDARD_INPUT = 0;
const STANDARD_OUTPUT = 1;

/**
 * Refuses to write to a file that is also read, under any of its names. Call it before opening either.
 * @param written a path, or `-` for standard output; undefined: nothing is written.
 * @param others paths by description ("the input"); `-` is standard input.
 * @throws InputError
 */
export function refuseSameFile(
  written: string | undefined,
  others: Readonly<Record<string, string | readonly string[] | undefined>>,
): void {
  if (written === undefined) return;
  const target = identityOf(written, STANDARD_OUTPUT);
  for (const [role, files] of Object.entries(others))
    for (const file of [files ?? []].flat())
      if (target !== null && identityOf(file, STANDARD_INPUT) === target)
        throw new InputError(`${written}: must not be ${role} as well`);
}

/** Equal for two names of one file; null if writing destroys nothing, as for a pipe or a terminal. */
function identityOf(file: string, standardStream: number): string | null {
  const stats = statsOf(file, standardStream);
  if (stats !== null) return stats.isFile() ? `${stats.dev}:${stats.ino}` : null;
  return file === '-' ? null : pathOfNew(file);
}

function statsOf(file: string, standardStream: number): BigIntStats | null {
  try {
    return file === '-' ? fstatSync(standardStream, { bigint: true }) : statSync(file, { bigint: true });
  } catch {
    return null;
  }
}

/** Whether a file, which need not exist yet, is in a folder or one of its subfolders. */
export const isInFolder = (file: string, folder: string): boolean =>
  pathOfNew(file).startsWith(join(realpathSync(folder), sep));

/** The real path of a file that need not exist yet. */
function pathOfNew(file: string): string {
  try {
    return join(realpathSync(dirname(file)), basename(file));
  } catch {
    return resolve(file);
  }
}
