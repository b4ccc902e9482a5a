import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { CONSENT_PAGE } from '../../scenarios/kit/driver';
import { stopTimers } from './helpers/borrow';
import { describeInSoak, useWorld } from './helpers/world';

/** Longer than pages wait before they ask again. In ms. */
const WATCHED = 5000;
/** In ms: so long may something else wake it, such as an alarm. */
const WAKE_TIMEOUT = 60_000;
/** In ms: a background that wakes stays awake for twice as long. */
const LOOK = 250;

interface Globals {
  readonly browser: { readonly extension: { getBackgroundPage(): unknown } };
}

const isAwake = (): boolean =>
  (globalThis as unknown as Globals).browser.extension.getBackgroundPage() !== null;

/** Whether the background comes to sleep all the time for longer than pages wait. */
async function comesToSleep(page: Page): Promise<boolean> {
  const end = Date.now() + WAKE_TIMEOUT;
  for (let since = Date.now(); Date.now() < end;) {
    if (await page.evaluate(isAwake)) since = Date.now();
    if (Date.now() - since > WATCHED) return true;
    await sleep(LOOK);
  }
  return false;
}

describe('the background sleeps', () => {
  const world = useWorld('firefox', { idleTimeout: 500 });

  /** At once, because each look takes five seconds: one page that wakes it is enough to fail. */
  const paths = [CONSENT_PAGE, 'pages/options.html', 'pages/internals.html#/w3c'];

  it(`while nobody sees ${paths.join(', ')}`, async () => {
    const { extension, browser } = world;
    const pages: Page[] = [];
    for (const path of paths) pages.push(await extension.openPage(path));
    const front = await browser.newPage();
    await front.bringToFront();
    const [page] = pages;
    expect(page !== undefined && (await comesToSleep(page))).toBe(true);
  });
});

describeInSoak('a browser that waits to be borrowed', () => {
  const world = useWorld('firefox', { idleTimeout: 500 });

  it('lets its background sleep', async () => {
    const { extension } = world;
    const kept = await extension.page();
    const page = await extension.openPage(CONSENT_PAGE);
    await page.evaluate(stopTimers);
    await kept.close();
    expect(await comesToSleep(page)).toBe(true);
  });
});
