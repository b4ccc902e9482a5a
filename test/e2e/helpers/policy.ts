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
  readonly remove: () => Promise<void>;
}

const root = path.resolve(__dirname, '../../..');
/** In Chrome's folders of policies. */
const MANAGED = 'policies/managed';

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

async function chromePolicy(): Promise<Policy> {
  const { folder, launchOptions, remove } = await browserWith('chrome', {});
  return {
    launchOptions,
    set: (trial) =>
      writeFile(
        path.join(folder, MANAGED, 'trial.json'),
        JSON.stringify({ '3rdparty': { extensions: { [unpackedId()]: { trial } } } }),
      ),
    remove,
  };
}

interface ManagedBrowser {
  /** Where its policies are. */
  readonly folder: string;
  readonly launchOptions: Policy['launchOptions'];
  readonly remove: () => Promise<void>;
}

/**
 * Browsers read policies from a system folder, here one that only this browser sees.
 * @param policies as its file of policies has them
 */
export async function browserWith(browser: BrowserName, policies: object): Promise<ManagedBrowser> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-policy-'));
  await mkdir(path.join(folder, MANAGED), { recursive: true });
  // Folders of Google Chrome and Chrome for Testing, in /etc/opt.
  for (const product of ['chrome', 'chrome_for_testing']) await symlink('.', path.join(folder, product));
  const [file, content] =
    browser === 'chrome' ? [path.join(MANAGED, 'all.json'), policies] : ['policies.json', { policies }];
  await writeFile(path.join(folder, file), JSON.stringify(content));
  const command = [findExecutable(browser), ...(browser === 'chrome' ? ['--no-sandbox'] : [])];
  const launchOptions = await program(folder, [...seeing(folder, placesOf(browser)), ...command]);
  return { folder, launchOptions, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Makes a program in a folder that runs a command, and options to launch it as the browser. */
async function program(folder: string, command: readonly string[]): Promise<Policy['launchOptions']> {
  const executablePath = path.join(folder, 'browser');
  await writeFile(executablePath, `#!/bin/sh\nexec ${command.map(quoted).join(' ')} "$@"\n`, { mode: 0o755 });
  return { executablePath };
}

/** The parents of the policy folders of Chromium and of Google's Chromes, or that of Firefox. */
function placesOf(browser: BrowserName): readonly string[] {
  const places =
    browser === 'chrome'
      ? ['/etc/chromium', '/etc/opt']
      : [path.join(path.dirname(realpathSync(findExecutable('firefox'))), 'distribution')];
  return places.filter((place) => existsSync(place));
}

/** The prefix of a command that makes it see this folder at those places. Other processes do not see it. */
function seeing(folder: string, places: readonly string[]): readonly [command: string, ...args: string[]] {
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  const mounts = places.map((place) => `mount --bind "$0" ${quoted(place)} && `).join('');
  return ['unshare', '--mount', ...asRoot, 'sh', '-c', `${mounts}exec "$@"`, folder];
}

/** Whether tests can give a browser a folder of policies here, which needs root or the right to make namespaces. */
export function canManage(browser: BrowserName): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-policy-'));
  try {
    const places = placesOf(browser);
    const [command, ...args] = seeing(folder, places);
    execFileSync(command, [...args, 'true'], { stdio: 'ignore' });
    return places.length > 0;
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
