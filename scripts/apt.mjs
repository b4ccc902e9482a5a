import { existsSync } from 'node:fs';
import { runQuietly } from './console.mjs';

const aptGet = '/usr/bin/apt-get';

/** Whether packages can be installed: as root, on Debian and its derivatives. */
export const canInstall = () => process.getuid?.() === 0 && existsSync(aptGet);

/** Installs a Debian package. Resolves to the exit code. */
export async function aptInstall(debianPackage) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  // The install can work even if the update fails, for example when one mirror is down.
  await runQuietly(aptGet, ['-q', 'update'], { env, doing: 'reading the package lists' });
  const install = ['-q', 'install', '-y', '--no-install-recommends', debianPackage];
  return runQuietly(aptGet, install, { env, doing: `installing ${debianPackage}` });
}
