import { existsSync } from 'node:fs';
import path from 'node:path';
import puppeteer, { type Browser, type LaunchOptions as PuppeteerOptions } from 'puppeteer';
import { chromeDriver } from './chrome';
import { findExecutable, type BrowserName } from './executable';
import { Extension, type SettingsChange, type Time } from './extension';
import { firefoxDriver } from './firefox';
import { installLanguagePack } from './language-pack';
import { root } from '../../node/root';

export interface LaunchOptions {
  readonly browser: BrowserName;
  /** True unless given. */
  readonly headless?: boolean;
  /** The built extension, for Firefox also its .xpi; the project's own `dist/<browser>` unless given. */
  readonly extensionDir?: string;
  readonly executablePath?: string;
  /** A profile to keep; a fresh one that is removed afterwards unless given. */
  readonly userDataDir?: string;
  /** After how many idle milliseconds Firefox stops the background; its own 30 s unless given. Chrome has no such switch. */
  readonly idleTimeout?: number;
  /**
   * Of the extension's words, a BCP 47 tag. Unless given, a headless browser speaks English, so that a script finds the same
   * words everywhere, and one with a window what the machine speaks.
   */
  readonly language?: string;
  /** Whether to agree to being recorded, as a person does on the consent page; true unless given. False leaves that page open. */
  readonly consent?: boolean;
  /** Set before `launch` resolves. */
  readonly settings?: SettingsChange;
  /** Noise and report ids come from this seed, so that a run can be repeated; switches debug mode on. */
  readonly seed?: string;
  /** Where the clock stands still, so that times are exact; switches debug mode on. */
  readonly clock?: Time;
  /** More of the browser's own, such as Chrome's arguments; see puppeteer. */
  readonly puppeteer?: Pick<PuppeteerOptions, 'acceptInsecureCerts' | 'args' | 'extraPrefsFirefox'>;
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
  const extensionDir = path.resolve(options.extensionDir ?? path.join(root, 'dist', name));
  const isPacked = name === 'firefox' && extensionDir.endsWith('.xpi');
  if (!existsSync(isPacked ? extensionDir : path.join(extensionDir, 'manifest.json')))
    throw new Error(`there is no extension in ${extensionDir}; "npm run build" puts it in dist/${name}`);
  const browser = await startBrowser(options, extensionDir);
  try {
    if (name === 'firefox') await installInFirefox(browser, extensionDir, options);
    const { consent = true } = options;
    const driver = name === 'chrome' ? await chromeDriver(browser) : firefoxDriver(browser);
    const extension = new Extension(driver, !consent);
    await extension.page();
    if (consent) await extension.accept();
    await extension.settings(settingsOf(options));
    if (options.clock !== undefined) await extension.setClock(options.clock, { frozen: true });
    return { browser, extension, close: () => browser.close() };
  } catch (error) {
    await browser.close();
    throw error;
  }
}

async function installInFirefox(
  browser: Browser,
  extensionDir: string,
  { language }: LaunchOptions,
): Promise<void> {
  // Before the extension, which takes its words when it starts.
  if (language !== undefined) await installLanguagePack(browser, language);
  await browser.installExtension(extensionDir);
}

function settingsOf({ settings = {}, seed, clock }: LaunchOptions): SettingsChange {
  if (seed === undefined && clock === undefined) return settings;
  const seeded = seed === undefined ? {} : { seed };
  return { ...settings, debug: { ...settings.debug, enabled: true, ...seeded } };
}

function startBrowser(options: LaunchOptions, extensionDir: string): Promise<Browser> {
  const { browser: name, headless = true, userDataDir } = options;
  const language = options.language ?? (headless ? 'en-US' : null);
  const { args: ownArgs = [], extraPrefsFirefox, ...own } = options.puppeteer ?? {};
  const common = {
    ...own,
    browser: name,
    headless,
    executablePath: options.executablePath ?? findExecutable(name),
    // A person resizes the window; a script wants the same page every time.
    defaultViewport: headless ? { width: 1280, height: 800 } : null,
    ...(language === null ? {} : { env: { ...process.env, LANGUAGE: language.replace('-', '_') } }),
    ...(userDataDir === undefined ? {} : { userDataDir }),
  };
  if (name === 'firefox')
    return puppeteer.launch({
      ...common,
      extraPrefsFirefox: { ...firefoxPreferences(options, language), ...extraPrefsFirefox },
    });
  const args = [
    ...quietChrome,
    // Beside the environment: by which of them Chrome goes is not the same everywhere.
    ...(language === null ? [] : [`--lang=${language}`]),
    // Chrome refuses to sandbox what root starts.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ];
  return puppeteer.launch({
    ...common,
    pipe: true,
    enableExtensions: [extensionDir],
    args: [...args, ...ownArgs],
  });
}

function firefoxPreferences(
  { userDataDir, idleTimeout }: LaunchOptions,
  language: string | null,
): Record<string, unknown> {
  return {
    // What is installed by script is temporary, and would take its storage with it when Firefox ends.
    ...(userDataDir === undefined
      ? {}
      : {
          'extensions.webextensions.keepStorageOnUninstall': true,
          'extensions.webextensions.keepUuidOnUninstall': true,
        }),
    ...(language === null ? {} : { 'intl.locale.requested': language }),
    ...(idleTimeout === undefined ? {} : { 'extensions.background.idle.timeout': idleTimeout }),
  };
}
