import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { runQuietly, say, SetupError } from './console.mjs';

/** Whether packages can be installed: as root, on Debian and its derivatives. */
export const canInstall = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

let asks = !process.env.CI;

/** Resolves when the package lists are those of today. */
let lists;

/** For `--yes`. */
export const installWithoutAsking = () => void (asks = false);

/**
 * Installs a Debian package, which changes the machine, so at a terminal it asks first. Resolves to the exit code. Rejects with a
 * SetupError if the person says no.
 */
export async function aptInstall(debianPackage) {
  if (asks && process.stdin.isTTY && process.stderr.isTTY) await ask(debianPackage);
  say(`installing ${debianPackage} with apt-get`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  // The install can work even if the update fails, for example when one mirror is down.
  await (lists ??= runQuietly('apt-get', ['-q', 'update'], { env, doing: 'reading the package lists' }));
  const install = ['-q', 'install', '-y', '--no-install-recommends', debianPackage];
  return runQuietly('apt-get', install, { env, doing: `installing ${debianPackage}` });
}

async function ask(debianPackage) {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const question = `cointoss: apt-get would install ${debianPackage}, as root. Go on? [y/N] `;
  const answer = await terminal.question(question).finally(() => terminal.close());
  if (/^y(es)?$/i.test(answer.trim())) return;
  throw new SetupError(
    `${debianPackage} is missing: run "apt-get install ${debianPackage}" yourself, or answer with yes`,
  );
}
