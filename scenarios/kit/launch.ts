import path from 'node:path';
import puppeteer, { type Browser } from 'puppeteer';
import type { Settings } from '../../src/model/settings';
import { chromeDriver } from './chrome';
import { findExecutable } from './executable';
import { Extension } from './extension';
import { firefoxDriver } from './firefox';

/** Chromium counts as Chrome. */
export type BrowserName = 'chrome' | 'firefox';

export interface LaunchOptions {
  readonly browser: BrowserName;
  /** True unless given. */
  readonly headless?: boolean;
  /** The built extension; the project's own `dist/<browser>` unless given. */
  readonly extensionDir?: string;
  readonly executablePath?: string;
  /** A profile to keep; a fresh one that is removed afterwards unless given. */
  readonly userDataDir?: string;
  /** After how many idle milliseconds Firefox stops the background; its own 30 s unless given. Chrome has no such switch. */
  readonly idleTimeout?: number;
  /** Set before `launch` resolves. */
  readonly settings?: Partial<Settings>;
}

export interface Launched {
  readonly browser: Browser;
  readonly extension: Extension;
  close(): Promise<void>;
}

/** Chrome talks to its maker's servers unless told not to. */
const quietChrome = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
];

/** Starts a browser with Cointoss in it. Rejects when the browser, or the extension in it, does not come up. */
export async function launch(options: LaunchOptions): Promise<Launched> {
  const { browser: name } = options;
  const extensionDir = path.resolve(options.extensionDir ?? path.join(__dirname, '../../dist', name));
  const browser = await startBrowser(options, extensionDir);
  try {
    if (name === 'firefox') await browser.installExtension(extensionDir);
    const extension = new Extension(name === 'chrome' ? await chromeDriver(browser) : firefoxDriver(browser));
    await extension.page();
    if (options.settings) await extension.settings(options.settings);
    return { browser, extension, close: () => browser.close() };
  } catch (error) {
    await browser.close();
    throw error;
  }
}

function startBrowser(options: LaunchOptions, extensionDir: string): Promise<Browser> {
  const { browser: name, headless = true, userDataDir } = options;
  const common = {
    browser: name,
    headless,
    executablePath: options.executablePath ?? findExecutable(name),
    // A person resizes the window; a script wants the same page every time.
    defaultViewport: headless ? { width: 1280, height: 800 } : null,
    ...(userDataDir === undefined ? {} : { userDataDir }),
  };
  if (name === 'firefox')
    return puppeteer.launch({ ...common, extraPrefsFirefox: firefoxPreferences(options) });
  // Chrome refuses to sandbox what root starts.
  const args = process.getuid?.() === 0 ? [...quietChrome, '--no-sandbox'] : quietChrome;
  return puppeteer.launch({ ...common, pipe: true, enableExtensions: [extensionDir], args });
}

function firefoxPreferences({ userDataDir, idleTimeout }: LaunchOptions): Record<string, unknown> {
  return {
    // What is installed by script is temporary, and would take its storage with it when Firefox ends.
    ...(userDataDir === undefined
      ? {}
      : {
          'extensions.webextensions.keepStorageOnUninstall': true,
          'extensions.webextensions.keepUuidOnUninstall': true,
        }),
    ...(idleTimeout === undefined ? {} : { 'extensions.background.idle.timeout': idleTimeout }),
  };
}
