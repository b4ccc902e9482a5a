import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import { CONSENT_PAGE } from '../../scenarios/kit/driver';
import { BrowserPool, type Lent } from './helpers/browser-pool';
import { useWorld } from './helpers/world';

/** Longer than pages wait before they ask again. In ms. */
const WATCHED = 5000;
/** In ms: so long may something else wake it, such as an alarm. */
const PATIENCE = 60_000;

interface Globals {
  readonly browser: { readonly extension: { getBackgroundPage(): unknown } };
}

const isAwake = (): boolean =>
  (globalThis as unknown as Globals).browser.extension.getBackgroundPage() !== null;

/** Whether the background comes to sleep all the time for longer than pages wait. */
async function comesToSleep(page: Page): Promise<boolean> {
  const end = Date.now() + PATIENCE;
  for (let since = Date.now(); Date.now() < end;) {
    if (await page.evaluate(isAwake)) since = Date.now();
    if (Date.now() - since > WATCHED) return true;
    await sleep(50);
  }
  return false;
}

describe('the background sleeps', () => {
  const world = useWorld('firefox', { idleTimeout: 500 });

  it.each([CONSENT_PAGE, 'pages/options.html', 'pages/internals.html#/w3c'])(
    'while nobody sees %s',
    async (path) => {
      const { extension, browser } = world;
      const page = await extension.openPage(path);
      const front = await browser.newPage();
      await front.bringToFront();
      expect(await comesToSleep(page)).toBe(true);
    },
  );
});

describe('a browser of the pool', () => {
  /** Whether it answers within a second, which one that runs does within milliseconds. */
  const answers = async ({ address }: Lent): Promise<boolean> => {
    const signal = AbortSignal.timeout(1000);
    const asked = fetch(`http://${new URL(address).host}/json/version`, { signal });
    return asked.then(
      ({ ok }) => ok,
      () => false,
    );
  };

  it('runs only while somebody has it, and ends with the pool', async () => {
    const pool = new BrowserPool();
    const address = `${await pool.open()}/chrome`;
    const borrow = async (): Promise<Lent> => (await (await fetch(address)).json()) as Lent;
    const lent = await borrow();
    expect(await answers(lent)).toBe(true);
    const rests = (): Promise<boolean> => waitFor('it to rest', async () => !(await answers(lent)));
    await fetch(address, { method: 'POST', body: JSON.stringify(lent) });
    await rests();
    expect(await borrow()).toEqual(lent);
    expect(await answers(lent)).toBe(true);
    await fetch(address, { method: 'POST', body: JSON.stringify(lent) });
    await rests();
    await pool.close();
  });
});
