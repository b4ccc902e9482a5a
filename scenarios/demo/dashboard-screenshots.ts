import path from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { fillWithStored } from '../../collector/demo/fill';
import { readMonth } from '../../collector/demo/month';
import { createCollector } from '../../collector/server';
import type { CollectorStore } from '../../collector/store/store';

/** Shoots the collector's dashboard with its demo data, light and dark. */
export async function shootDashboard(browser: Browser, folder: string): Promise<void> {
  const collector = await createCollector({ store: 'memory://', prepare: fill });
  const page = await browser.newPage();
  try {
    const origin = await collector.listen({ host: '127.0.0.1', port: 0 });
    // Chrome draws nothing in a tab behind another.
    await page.bringToFront();
    // Tiles, the time series, and all campaigns.
    await page.setViewport({ width: 1360, height: 1550 });
    await page.goto(origin);
    await page.waitForSelector('main[aria-busy="false"] .plot', { timeout: 60_000 });
    await shoot(page, path.join(folder, 'dashboard'));
    await page.setViewport({ width: 1360, height: 1000 });
    await page.$eval('.estimates', (section) => {
      section.scrollIntoView();
      window.scrollBy(0, -90); // the sticky header
    });
    await shoot(page, path.join(folder, 'dashboard-estimates'));
  } finally {
    await page.close();
    await collector.close();
  }
}

async function fill(store: CollectorStore): Promise<void> {
  await fillWithStored(store, readMonth());
}

async function shoot(page: Page, file: string): Promise<void> {
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.screenshot({ path: `${file}${scheme === 'dark' ? '-dark' : ''}.png` });
  }
}
