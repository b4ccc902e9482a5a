/** Installs Debian's programs for tests; uses Node built-ins only. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { aptInstall, canInstall } from './apt.mjs';
import { SetupError } from './console.mjs';
import { withLock } from './set-up-lock.mjs';

/** Rejects with a SetupError when the program is missing and its Debian package cannot be installed. */
export async function ensureProgram(name, debianPackage) {
  if (findProgram(name) === undefined) await withLock(() => install(name, debianPackage), 'programs');
}

/** Where the program is, or undefined. */
export function findProgram(name) {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  // A daemon's folder is not on everybody's PATH.
  return [...folders, '/usr/sbin'].map((folder) => path.join(folder, name)).find(existsSync);
}

async function install(name, debianPackage) {
  if (findProgram(name) !== undefined) return;
  if (!canInstall())
    throw new SetupError(`no ${name} found on the PATH. Install it; apt-get is only used as root on Debian.`);
  const code = await aptInstall(debianPackage);
  if (code !== 0) throw new SetupError(`apt-get install ${debianPackage} failed with exit code ${code}`);
}
