import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import puppeteer, { type Browser } from 'puppeteer-core';
import type { Launched, LaunchOptions } from '../../../scenarios/kit';
import { browserOptions, findExtension, install } from '../../../scenarios/kit/launch';

/** The address of the `BrowserPool`. */
const POOL = process.env['COINTOSS_BROWSER_POOL'];
/** Options that do not concern the browser itself. */
const POSSIBLE = new Set(['browser', 'consent', 'settings', 'seed', 'clock']);

/** Whether a browser from the pool will do. */
export const canBorrow = (options: LaunchOptions): boolean =>
  POOL !== undefined && Object.keys(options).every((name) => POSSIBLE.has(name) || isIgnored(name, options));

/** Chrome cannot be told when to stop an idle background. */
const isIgnored = (name: string, { browser }: LaunchOptions): boolean =>
  name === 'idleTimeout' && browser === 'chrome';

/** As `launch`, in a browser that others have used. The extension is new, and `close` removes it. */
export async function borrow(options: LaunchOptions): Promise<Launched> {
  const pool = `${POOL ?? ''}/${options.browser}`;
  const lent = await fetch(pool);
  const address = await lent.text();
  if (!lent.ok) throw new Error(address);
  const { defaultViewport = null } = browserOptions(options);
  const browser = await puppeteer.connect({
    browserWSEndpoint: address,
    defaultViewport,
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
