import type { Page } from 'puppeteer-core';
import type { BrowserName } from '../../../scenarios/kit';

/** A page may ask whether it may be left. */
const TIMEOUT = { timeout: 5000 };

/**
 * Shows an empty document in the page's tab. A navigation by Chrome itself would start a process for that, and another one for the next visit,
 * which is a fifth of what a short test takes; so the page goes there by itself.
 */
export async function leave(page: Page, browser: BrowserName): Promise<void> {
  if (browser === 'firefox') return void (await page.goto('about:blank', TIMEOUT));
  const left = page.waitForNavigation(TIMEOUT);
  // A page that is being left may never answer.
  page.evaluate(() => location.replace('about:blank')).catch(() => undefined);
  await left;
}
