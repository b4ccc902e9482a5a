/** Installs Xvfb, a virtual screen for tests of browsers with a window; uses Node built-ins only. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { aptInstall, canInstall } from './apt.mjs';
import { SetupError } from './console.mjs';
import { withLock } from './set-up-lock.mjs';

/** Rejects with a SetupError when Xvfb is missing and cannot be installed. */
export async function ensureXvfb() {
  if (!isInstalled()) await withLock(install);
}

function isInstalled() {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  return folders.some((folder) => existsSync(path.join(folder, 'Xvfb')));
}

async function install() {
  if (isInstalled()) return;
  if (!canInstall())
    throw new SetupError('no Xvfb found on the PATH. Install it; apt-get is only used as root on Debian.');
  const code = await aptInstall('xvfb');
  if (code !== 0) throw new SetupError(`apt-get install xvfb failed with exit code ${code}`);
}
