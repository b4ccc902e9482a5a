import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'puppeteer-core';
import { root } from '../../node/root';
import type { BrowserName, Extension } from '../kit';

export const folder = path.join(root, 'docs/screenshots');
const listing = path.join(root, 'docs/listing');

/** The size that the Chrome Web Store requires. */
const LISTING_SIZE = { width: 1280, height: 800 };

const say = (file: string): void => void process.stdout.write(`${path.relative(root, file)}\n`);

/** Shoots both colour schemes; the name of the second says that it is dark. */
export async function shoot(page: Page, name: string, fullPage = false): Promise<void> {
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 150)));
    const file = scheme === 'light' ? `${name}.png` : `${name}-dark.png`;
    await page.screenshot({ path: path.join(folder, file), fullPage });
    say(path.join(folder, file));
  }
}

/** For the listings in the stores. */
export async function shootForListing(page: Page, name: string): Promise<void> {
  mkdirSync(listing, { recursive: true });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
  await page.setViewport(LISTING_SIZE);
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 500)));
  await page.screenshot({ path: path.join(listing, `${name}.png`) });
  say(path.join(listing, `${name}.png`));
}

/** Shoots the listings' pages that show records. */
export async function shootListing(extension: Extension): Promise<void> {
  for (const [view, awaited] of [
    ['overview', '.bars'],
    ['leaves', '.sent'],
  ] as const) {
    const page = await extension.openPage(`pages/internals.html#/${view}`);
    await page.waitForSelector(awaited);
    await shootForListing(page, view);
    await page.close();
  }
}

/** Shoots what the window shows, with the name of the browser, in the light scheme; without a folder, nothing. */
export const shootInto =
  (into: string | undefined, browser: BrowserName) =>
  async (page: Page, name: string): Promise<void> => {
    if (into === undefined) return;
    mkdirSync(into, { recursive: true });
    await page.screenshot({ path: path.join(into, `${name}-${browser}.png`) });
  };
