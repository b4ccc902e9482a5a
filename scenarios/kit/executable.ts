import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { root } from '../../node/root';

/** Chromium counts as Chrome. */
export type BrowserName = 'chrome' | 'firefox';

const variables = { chrome: 'CHROME_PATH', firefox: 'FIREFOX_PATH' };
const setupScript = path.join(root, 'scripts/setup.mjs');

/** The browser's executable: from the environment, else found or installed by the setup script. */
export function findExecutable(browser: BrowserName): string {
  const named = process.env[variables[browser]];
  if (named) return named;
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  return execFileSync(process.execPath, [setupScript, browser], {
    stdio: [...stdio],
    encoding: 'utf8',
  }).trim();
}
