import { existsSync } from 'node:fs';
import { runQuietly } from './console.mjs';

const aptGet = '/usr/bin/apt-get';

/** Whether packages can be installed: as root on Debian and its kin. */
export const canInstall = () => process.getuid?.() === 0 && existsSync(aptGet);

/** Installs a Debian package. Resolves to the exit code. */
export async function aptInstall(debianPackage) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  // A failing update (one dead mirror of several) need not keep the install from working.
  await runQuietly(aptGet, ['-q', 'update'], { env, doing: 'reading the package lists' });
  const install = ['-q', 'install', '-y', '--no-install-recommends', debianPackage];
  return runQuietly(aptGet, install, { env, doing: `installing ${debianPackage}` });
}
