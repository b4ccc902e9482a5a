import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { serverOf, URLS, type Attack } from './attack';

/** In ms between two clicks. */
const PAUSE = 5000;

/** A link that leads nowhere, with as many sources as a click may have. `clickUntilClosed` clicks it. */
export const linkToNowhere: Attack = ({ sites }, site) => {
  const urls = Array.from({ length: URLS }, (_, index) => `${sites.origin(serverOf(site))}/clicked-${index}`);
  return `<a id="nowhere" attributionsrc="${urls.join(' ')}" href="javascript:void 0">nowhere</a>`;
};

/** Clicks the page's link as a person does, as long as the page is there. */
export async function clickUntilClosed(page: Page): Promise<void> {
  while (!page.isClosed()) {
    await page.click('#nowhere').catch(() => undefined);
    await sleep(PAUSE, undefined, { ref: false });
  }
}
