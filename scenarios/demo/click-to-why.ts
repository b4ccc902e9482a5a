import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'puppeteer-core';
import { animatedPng, type Frame } from './animated-png';
import { folder } from './shoot';
import { clickThrough, scrollTo } from './visit';
import { startWorld } from './world';

/** All frames of an animated PNG have one size. */
const SIZE = { width: 1100, height: 640 };
const MILLISECONDS = 2500;
/** In ms: what moves has come to rest. */
const REST = 500;

/** The README's moving picture: an ad, the shop, the purchase, the popup, and why the purchase is reported. */
export async function shootClickToWhy(): Promise<void> {
  const world = await startWorld({ browser: 'chrome', headless: true, seed: 'cointoss demo' });
  const { browser, extension, origins } = world;
  const frames: Frame[] = [];
  const shoot = async (page: Page): Promise<void> => {
    await page.bringToFront();
    await page.evaluate((rest) => new Promise((resolve) => setTimeout(resolve, rest)), REST);
    frames.push({ png: Buffer.from(await page.screenshot()), milliseconds: MILLISECONDS });
  };
  try {
    const page = await browser.newPage();
    await page.setViewport(SIZE);
    await page.goto(origins.publisher, { waitUntil: 'load' });
    await scrollTo(page, '#ad-click');
    await shoot(page);
    await clickThrough(page, '#ad-click');
    await scrollTo(page, '#buy');
    await shoot(page);
    await clickThrough(page, '#buy');
    await shoot(page);
    await extension.waitForReports(1);
    const internals = await extension.openPage('pages/internals.html#/overview');
    await internals.setViewport(SIZE);
    await internals.waitForSelector('#pending');
    await shoot(internals);
    const [trigger] = await extension.triggers();
    await internals.evaluate((id) => (location.hash = `#/triggers/${id}`), trigger?.id);
    await internals.waitForSelector('.checks');
    await shoot(internals);
  } finally {
    await world.close();
  }
  const file = path.join(folder, 'click-to-why.png');
  writeFileSync(file, animatedPng(frames));
}
