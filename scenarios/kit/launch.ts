import { existsSync } from 'node:fs';
import path from 'node:path';
import puppeteer, { type Browser, type LaunchOptions as PuppeteerOptions } from 'puppeteer-core';
import { chromeDriver } from './chrome';
import { HANG_MS, type Installed } from './driver';
import { findExecutable, type BrowserName } from './executable';
import type { SettingsChange } from '../../extension/messages';
import { Extension, type Time } from './extension';
import { firefoxDriver } from './firefox';
import { installLanguagePack } from './language-pack';
import { refuseUnknown } from './known-names';
import { Traffic } from './traffic';
import { startAsking } from './waiting-reports';
import { root } from '../../node/root';

export interface LaunchOptions {
  readonly browser: BrowserName;
  /** Default: true. */
  readonly headless?: boolean;
  /** The built extension (for Firefox also its .xpi). Default: the project's own `dist/<browser>`. */
  readonly extensionDir?: string;
  readonly executablePath?: string;
  /** A profile to keep. Default: a fresh one that is removed afterwards. */
  readonly userDataDir?: string;
  /** Milliseconds of idleness after which Firefox stops the background. Default: Firefox's own 30 s. Chrome has no such switch. */
  readonly idleTimeout?: number;
  /**
   * The extension's language, a BCP 47 tag. Default: English in a headless browser, so that scripts find the same words everywhere, and
   * else the machine's language.
   */
  readonly language?: string;
  /** Whether to agree to recording, as on the consent page. Default: true. False leaves that page open. */
  readonly consent?: boolean;
  /** Set before `launch` resolves. */
  readonly settings?: SettingsChange;
  /** The seed for noise and `report_id`s, so that a run can be repeated but for the order of sending and for sealed bytes. Turns debug mode on. */
  readonly seed?: string;
  /** The time at which the clock stands still, so that times are exact. Turns debug mode on. */
  readonly clock?: Time;
  /** Further puppeteer options, such as Chrome's arguments. */
  readonly puppeteer?: Pick<
    PuppeteerOptions,
    'acceptInsecureCerts' | 'args' | 'extraPrefsFirefox' | 'networkEnabled'
  >;
}

export interface Launched {
  readonly browser: Browser;
  readonly extension: Extension;
  close(): Promise<void>;
}

/** Keeps Chrome from contacting its maker's servers. */
const quietChrome = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
];

const optionNames = Object.keys({
  browser: true,
  headless: true,
  extensionDir: true,
  executablePath: true,
  userDataDir: true,
  idleTimeout: true,
  language: true,
  consent: true,
  settings: true,
  seed: true,
  clock: true,
  puppeteer: true,
} satisfies Record<keyof LaunchOptions, true>);
const puppeteerOptionNames = ['acceptInsecureCerts', 'args', 'extraPrefsFirefox', 'networkEnabled'];

/** Starts a browser with Cointoss. Rejects when an option is unknown, or when the browser or the extension does not start. */
export async function launch(options: LaunchOptions): Promise<Launched> {
  refuseOtherEnvironment();
  refuseUnknown('options', options, optionNames);
  refuseUnknown('options.puppeteer', options.puppeteer ?? {}, puppeteerOptionNames);
  if (!['chrome', 'firefox'].includes(options.browser))
    throw new TypeError(
      `options.browser: must be "chrome" or "firefox", was ${JSON.stringify(options.browser)}`,
    );
  const { browser: name, language } = options;
  const extensionDir = findExtension(options);
  const browser = await start(browserOptions(options));
  try {
    // Before the extension, which reads the language when it starts.
    if (name === 'firefox' && language !== undefined) await installLanguagePack(browser, language);
    const { extension } = await install(browser, extensionDir, options);
    return { browser, extension, close: () => browser.close() };
  } catch (error) {
    await browser.close();
    throw error;
  }
}

/** Puppeteer would never answer where jest imitates a browser: Node's own functions are missing there. */
function refuseOtherEnvironment(): void {
  if (typeof setImmediate === 'undefined')
    throw new Error(
      'the kit runs in Node, but jest runs this file in an environment like a browser (testEnvironment: jsdom): put /** @jest-environment node */ at the top of this file',
    );
}

async function start(options: PuppeteerOptions): Promise<Browser> {
  return puppeteer.launch(options).catch((cause: unknown) => {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${options.executablePath} did not start as ${options.browser}: ${message}`, { cause });
  });
}

/**
 * Where the built extension is, to load it in a browser that something else starts: for Chrome a folder; for Firefox a folder, or the .xpi
 * of the package `@cointoss/puppeteer`.
 */
export function extensionPath(browser: BrowserName): string {
  const folder = path.join(root, 'dist', browser);
  return browser === 'firefox' && existsSync(`${folder}.xpi`) ? `${folder}.xpi` : folder;
}

/** As `extensionPath`, or the extension that the options name. Throws when there is none. */
export function findExtension({ browser, extensionDir }: LaunchOptions): string {
  const found = extensionDir === undefined ? extensionPath(browser) : path.resolve(extensionDir);
  const isPacked = browser === 'firefox' && found.endsWith('.xpi');
  if (!existsSync(isPacked ? found : path.join(found, 'manifest.json')))
    throw new Error(`there is no extension in ${found}; "npm run build" puts it in dist/${browser}`);
  return found;
}

/** As `attach`, but installs the extension first. Resolves also to its id in the browser. */
export async function install(
  browser: Browser,
  extensionDir: string,
  options: LaunchOptions,
): Promise<{ readonly extension: Extension; readonly id: string }> {
  const id = await browser.installExtension(extensionDir);
  const again = async (): Promise<void> => {
    await browser.uninstallExtension(id);
    await browser.installExtension(extensionDir);
  };
  return { extension: await prepare(browser, options, { id, again }), id };
}

/**
 * Finds the extension in a browser that something else started and installed it in, and applies the options that concern it: `browser`,
 * `consent`, `settings`, `seed` and `clock`. Rejects after ten seconds if it is not there;
 * in Firefox, and in a Chrome that does not name its extensions, after 30.
 */
export const attach = (browser: Browser, options: LaunchOptions): Promise<Extension> =>
  prepare(browser, options, null);

async function prepare(
  browser: Browser,
  options: LaunchOptions,
  installed: Installed | null,
): Promise<Extension> {
  const { consent = true } = options;
  refuseOtherEnvironment();
  const driver = await (options.browser === 'chrome'
    ? chromeDriver(browser, installed)
    : firefoxDriver(browser, installed));
  const hasNetwork = options.puppeteer?.networkEnabled ?? true;
  const extension = new Extension(
    driver,
    !consent,
    new Traffic(hasNetwork ? browser : null, options.browser),
  );
  browser.once('disconnected', startAsking(extension));
  await extension.page();
  if (consent) await extension.accept();
  await extension.settings(settingsOf(options));
  if (options.clock !== undefined) await extension.setClock(options.clock, { frozen: true });
  return extension;
}

function settingsOf({ settings = {}, seed, clock }: LaunchOptions): SettingsChange {
  if (seed === undefined && clock === undefined) return settings;
  const seeded = seed === undefined ? {} : { seed };
  return { ...settings, debug: { ...settings.debug, enabled: true, ...seeded } };
}

/** How puppeteer starts the browser. */
export function browserOptions(options: LaunchOptions): PuppeteerOptions {
  const { browser: name, headless = true, userDataDir } = options;
  const language = options.language ?? (headless ? 'en-US' : null);
  const { args: ownArgs = [], extraPrefsFirefox, ...own } = options.puppeteer ?? {};
  const common = {
    ...own,
    browser: name,
    headless,
    timeout: HANG_MS,
    protocolTimeout: HANG_MS,
    executablePath: findExecutable(name, options.executablePath),
    // A person can resize the window; a script needs the same page every time.
    defaultViewport: headless ? { width: 1280, height: 800 } : null,
    ...(language === null ? {} : { env: { ...process.env, LANGUAGE: language.replace('-', '_') } }),
    ...(userDataDir === undefined ? {} : { userDataDir }),
  };
  if (name === 'firefox')
    return {
      ...common,
      extraPrefsFirefox: { ...firefoxPreferences(options, language), ...extraPrefsFirefox },
    };
  const args = [
    ...quietChrome,
    // In addition to the environment: which of the two Chrome uses depends on the system.
    ...(language === null ? [] : [`--lang=${language}`]),
    // Chrome cannot run its sandbox as root.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ];
  return { ...common, pipe: true, enableExtensions: true, args: [...args, ...ownArgs] };
}

function firefoxPreferences(
  { userDataDir, idleTimeout }: LaunchOptions,
  language: string | null,
): Record<string, unknown> {
  return {
    // A scripted installation is temporary: its storage would vanish when Firefox ends.
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
