import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import {
  waitFor,
  type BrowserName,
  type Extension,
  type Launched,
  type LaunchOptions,
} from '../../../scenarios/kit';
import { CONSENT_PAGE } from '../../../scenarios/kit/driver';
import { attach, browserOptions, findExtension, install } from '../../../scenarios/kit/launch';
import type { Lent } from './browser-pool';
import { thrifty } from './thrifty';

/** The address of the `BrowserPool`. */
const POOL = process.env['COINTOSS_BROWSER_POOL'];
/** Options that do not concern the browser itself, or that the pool knows. */
const POSSIBLE = new Set([
  ...['browser', 'extensionDir', 'idleTimeout', 'consent', 'settings', 'seed', 'clock', 'puppeteer'],
]);

/** Whether a browser from the pool will do. */
export const canBorrow = (options: LaunchOptions): boolean =>
  POOL !== undefined &&
  Object.keys(options).every((name) => POSSIBLE.has(name)) &&
  Object.keys(options.puppeteer ?? {}).every((name) => name === 'networkEnabled');

/** Where the pool has such a browser. Chrome cannot be told when to stop an idle background. */
const placeOf = ({ browser, idleTimeout }: LaunchOptions): string =>
  browser === 'firefox' && idleTimeout !== undefined ? `${browser}/${idleTimeout}` : browser;

/**
 * As `launch`, in a browser that others have used. `close` leaves the extension as it is just after it was installed; whoever wants to see
 * that itself, because nobody has agreed, gets one that is really new.
 */
export async function borrow(asked: LaunchOptions): Promise<Launched> {
  const options = { ...asked, puppeteer: thrifty(asked) };
  const pool = `${POOL ?? ''}/${placeOf(options)}`;
  const { address, installed } = await take(pool);
  const { defaultViewport = null } = browserOptions(options);
  const browser = await puppeteer.connect({
    browserWSEndpoint: address,
    defaultViewport,
    networkEnabled: options.puppeteer.networkEnabled,
    protocol: options.browser === 'chrome' ? 'cdp' : 'webDriverBiDi',
  });
  const { extension, id, folder } = await extensionIn(browser, installed, options);
  const close = async (): Promise<void> => {
    const isOther = options.extensionDir !== undefined;
    const isRestored = !isOther && (await restore(browser, extension, options.browser).catch(() => false));
    if (!isRestored) await remove(browser, { id, folder });
    await browser.deleteCookie(...(await browser.cookies()));
    await browser.disconnect();
    await giveBack(pool, { address, installed: isRestored ? { id, folder } : null });
  };
  return { browser, extension, close };
}

type Installed = NonNullable<Lent['installed']>;

async function take(pool: string): Promise<Lent> {
  const answer = await fetch(pool);
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Lent;
}

const giveBack = (pool: string, lent: Lent): Promise<unknown> =>
  fetch(pool, { method: 'POST', body: JSON.stringify(lent) });

async function extensionIn(
  browser: Browser,
  installed: Installed | null,
  options: LaunchOptions,
): Promise<Installed & { readonly extension: Extension }> {
  const { consent, seed, extensionDir } = options;
  // A seed draws by the ids of registrations, which are never used again.
  if (installed !== null && consent !== false && seed === undefined && extensionDir === undefined)
    return { ...installed, extension: await attach(browser, options) };
  if (installed !== null) await remove(browser, installed);
  const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-extension-'));
  // Chrome derives the id from the folder. Under an id that was used, it may still be erasing what was stored.
  const found = findExtension(options);
  const copy = path.join(folder, path.basename(found));
  await cp(found, copy, { recursive: true });
  return { folder, ...(await install(browser, copy, options)) };
}

async function remove(browser: Browser, { id, folder }: Installed): Promise<void> {
  await closeTabs(browser, await browser.newPage());
  await browser.uninstallExtension(id);
  await rm(folder, { recursive: true });
}

/** Erases what was recorded, chosen and agreed to, and leaves one tab, with the page that opens on install. */
async function restore(browser: Browser, extension: Extension, name: BrowserName): Promise<boolean> {
  await extension.send({ kind: 'reset-clock' });
  await extension.send({ kind: 'withdraw' });
  await extension.send({ kind: 'forget-trial' });
  const page = await asFirstPage(await extension.page());
  // In Chrome, the kit finds the extension by its worker, which the page keeps alive at little cost.
  if (name === 'firefox') await page.evaluate(stopTimers);
  await closeTabs(browser, page);
  return true;
}

/** Turns a page of the extension into the one that opens on install. A new tab would take three times as long. */
async function asFirstPage(page: Page): Promise<Page> {
  await page.evaluate((path) => {
    localStorage.clear();
    sessionStorage.clear();
    // The page may have this address already. What is there after the reload lacks the mark.
    Object.assign(globalThis, { isLeft: true });
    location.replace(`/${path}`);
  }, CONSENT_PAGE);
  const isThere = (): Promise<boolean> =>
    page
      .evaluate(
        (path) =>
          !('isLeft' in globalThis) && location.pathname === `/${path}` && document.readyState === 'complete',
        CONSENT_PAGE,
      )
      .catch(() => false);
  await waitFor('the page that opens on install', isThere);
  return page;
}

/**
 * Runs in a page of the extension, which then asks the background nothing by itself. Until somebody borrows the browser, it would wake a
 * background that stops after 500 ms every two seconds, for a tenth of a processor.
 */
export function stopTimers(): void {
  const last = Number(setTimeout(() => undefined));
  for (let timer = 1; timer <= last; timer++) clearTimeout(timer);
  // For what an answer that is under way would start.
  Object.assign(globalThis, { setTimeout: () => 0, setInterval: () => 0 });
}

/** Closes all tabs but one, without which the browser would end. */
async function closeTabs(browser: Browser, kept: Page): Promise<void> {
  const tabs = await browser.pages();
  await Promise.all(tabs.filter((tab) => tab !== kept).map((tab) => tab.close()));
}
