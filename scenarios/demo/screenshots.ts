import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'puppeteer';
import { visit } from './visit';
import { startWorld } from './world';

/** Takes the pictures that the README shows, of the demo as it really looks. */
async function main(): Promise<void> {
  const world = await startWorld({ browser: 'chrome', headless: true, seed: 'cointoss demo' });
  const folder = path.resolve(__dirname, '../../docs/screenshots');
  mkdirSync(folder, { recursive: true });
  const save = (page: Page, name: `${string}.png`): Promise<unknown> =>
    page.screenshot({ path: path.join(folder, name) });
  try {
    const { browser, extension, origins, collector } = world;
    const page = await browser.newPage();
    await page.goto(origins.publisher, { waitUntil: 'networkidle0' });
    await save(page, 'publisher.png');
    await visit(
      world,
      () => undefined,
      async () => {
        const popup = await extension.openPage('pages/popup.html');
        await popup.setViewport({ width: 360, height: 560, deviceScaleFactor: 2 });
        await popup.waitForNetworkIdle();
        await save(popup, 'popup.png');
        await popup.close();
      },
    );
    const internals = await extension.page();
    await internals.bringToFront();
    await internals.evaluate(() => (location.hash = '#log'));
    await internals.waitForSelector('#table tr');
    await save(internals, 'internals.png');
    await page.bringToFront();
    await page.goto(collector.origin, { waitUntil: 'load' });
    await save(page, 'collector.png');
  } finally {
    await world.close();
  }
}

void main();
