import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import puppeteer, { type Browser } from 'puppeteer-core';
import type { Launched, LaunchOptions } from '../../../scenarios/kit';
import { browserOptions, findExtension, install } from '../../../scenarios/kit/launch';
import { thrifty } from './thrifty';

/** The address of the `BrowserPool`. */
const POOL = process.env['COINTOSS_BROWSER_POOL'];
/** Options that do not concern the browser itself, or that the pool knows. */
const POSSIBLE = new Set(['browser', 'idleTimeout', 'consent', 'settings', 'seed', 'clock', 'puppeteer']);

/** Whether a browser from the pool will do. */
export const canBorrow = (options: LaunchOptions): boolean =>
  POOL !== undefined &&
  Object.keys(options).every((name) => POSSIBLE.has(name)) &&
  Object.keys(options.puppeteer ?? {}).every((name) => name === 'networkEnabled');

/** Where the pool has such a browser. Chrome cannot be told when to stop an idle background. */
const placeOf = ({ browser, idleTimeout }: LaunchOptions): string =>
  browser === 'firefox' && idleTimeout !== undefined ? `${browser}/${idleTimeout}` : browser;

/** As `launch`, in a browser that others have used. The extension is new, and `close` removes it. */
export async function borrow(asked: LaunchOptions): Promise<Launched> {
  const options = { ...asked, puppeteer: thrifty(asked) };
  const pool = `${POOL ?? ''}/${placeOf(options)}`;
  const lent = await fetch(pool);
  const address = await lent.text();
  if (!lent.ok) throw new Error(address);
  const { defaultViewport = null } = browserOptions(options);
  const browser = await puppeteer.connect({
    browserWSEndpoint: address,
    defaultViewport,
    networkEnabled: options.puppeteer.networkEnabled,
    protocol: options.browser === 'chrome' ? 'cdp' : 'webDriverBiDi',
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-extension-'));
  // Chrome derives the id from the folder. Under an id that was used, it may still be erasing what was stored.
  await cp(findExtension(options), folder, { recursive: true });
  const { extension, id } = await install(browser, folder, options);
  const close = async (): Promise<void> => {
    await closeTabs(browser);
    await browser.uninstallExtension(id);
    await browser.deleteCookie(...(await browser.cookies()));
    await browser.disconnect();
    await rm(folder, { recursive: true });
    await fetch(pool, { method: 'POST', body: address });
  };
  return { browser, extension, close };
}

/** Leaves one empty tab, without which the browser would end. */
async function closeTabs(browser: Browser): Promise<void> {
  const tabs = await browser.pages();
  await browser.newPage();
  await Promise.all(tabs.map((tab) => tab.close()));
}
