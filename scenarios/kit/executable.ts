import { execFileSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../node/root';

/** Chromium counts as Chrome. */
export type BrowserName = 'chrome' | 'firefox';

const variables = { chrome: 'CHROME_PATH', firefox: 'FIREFOX_PATH' };
const setupScript = path.join(root, 'scripts/setup.mjs');

/**
 * The browser's executable: the named one, else from the environment, else found or installed by the setup script.
 * @throws Error when what is named is no program, because puppeteer would end the whole process.
 */
export function findExecutable(browser: BrowserName, named?: string): string {
  const variable = variables[browser];
  if (named !== undefined) return program('options.executablePath', named);
  const fromEnvironment = process.env[variable];
  if (fromEnvironment) return program(`$${variable}`, fromEnvironment);
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  return execFileSync(process.execPath, [setupScript, browser], {
    stdio: [...stdio],
    encoding: 'utf8',
  }).trim();
}

function program(where: string, file: string): string {
  try {
    accessSync(file, constants.X_OK);
    if (statSync(file).isFile()) return file;
  } catch {
    // It is missing, or not to be run.
  }
  throw new Error(`${where}: must be the program of a browser, was ${file}`);
}
