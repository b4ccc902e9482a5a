import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import manifest from '../../../manifest.json';
import type { BrowserName, LaunchOptions } from '../../../scenarios/kit';
import { findExecutable } from '../../../scenarios/kit/executable';

/** A browser policy for one test. */
export interface Policy {
  /** For `launch`. */
  readonly launchOptions: Partial<LaunchOptions>;
  /** @param trial its configuration as text */
  set(trial: string): Promise<void>;
  remove(): Promise<void>;
}

const root = path.resolve(__dirname, '../../..');

export const makePolicy = (browser: BrowserName): Promise<Policy> =>
  browser === 'chrome' ? chromePolicy() : firefoxPolicy();

/** Firefox also reads an extension's policies from the home folder. */
async function firefoxPolicy(): Promise<Policy> {
  const { id } = manifest.browser_specific_settings.gecko;
  const home = await mkdtemp(path.join(tmpdir(), 'cointoss-home-'));
  const folder = path.join(home, '.mozilla/managed-storage');
  await mkdir(folder, { recursive: true });
  const launchOptions = await program(home, ['env', `HOME=${home}`, findExecutable('firefox')]);
  return {
    launchOptions,
    set: (trial) =>
      writeFile(
        path.join(folder, `${id}.json`),
        JSON.stringify({ name: id, description: 'A trial', type: 'storage', data: { trial } }),
      ),
    remove: () => rm(home, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Chrome reads policies from a system folder, here one that only this browser sees. */
async function chromePolicy(): Promise<Policy> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-policy-'));
  await mkdir(path.join(folder, 'policies/managed'), { recursive: true });
  // Folders of Google Chrome and Chrome for Testing, in /etc/opt.
  for (const product of ['chrome', 'chrome_for_testing']) await symlink('.', path.join(folder, product));
  const launchOptions = await program(folder, [...seeing(folder), findExecutable('chrome'), '--no-sandbox']);
  return {
    launchOptions,
    set: (trial) =>
      writeFile(
        path.join(folder, 'policies/managed/trial.json'),
        JSON.stringify({ '3rdparty': { extensions: { [unpackedId()]: { trial } } } }),
      ),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Makes a program in a folder that runs a command, and options to launch it as the browser. */
async function program(folder: string, command: readonly string[]): Promise<Policy['launchOptions']> {
  const executablePath = path.join(folder, 'browser');
  await writeFile(executablePath, `#!/bin/sh\nexec ${command.map(quoted).join(' ')} "$@"\n`, { mode: 0o755 });
  return { executablePath };
}

/** The parents of the policy folders of Chromium and of Google's Chromes. */
const PLACES = ['/etc/chromium', '/etc/opt'].filter((place) => existsSync(place));

/** The prefix of a command that makes it see this folder at those places. Other processes do not see it. */
function seeing(folder: string): readonly [command: string, ...args: string[]] {
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  const mounts = PLACES.map((place) => `mount --bind "$0" ${place} && `).join('');
  return ['unshare', '--mount', ...asRoot, 'sh', '-c', `${mounts}exec "$@"`, folder];
}

/** Whether tests can set a browser policy here: Chrome needs root or the right to make namespaces. */
export function canMakePolicy(browser: BrowserName): boolean {
  if (browser === 'firefox') return true;
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-policy-'));
  try {
    const [command, ...args] = seeing(folder);
    execFileSync(command, [...args, 'true'], { stdio: 'ignore' });
    return PLACES.length > 0;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Chrome's id for an unpacked extension: a hash of its path, in the letters a to p. */
function unpackedId(): string {
  const hash = createHash('sha256').update(realpathSync(path.join(root, 'dist/chrome')));
  return hash
    .digest('hex')
    .slice(0, 32)
    .replace(/./g, (digit) => 'abcdefghijklmnop'.charAt(parseInt(digit, 16)));
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
