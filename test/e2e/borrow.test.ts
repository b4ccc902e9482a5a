import { setTimeout as sleep } from 'node:timers/promises';
import { CONSENT_PAGE } from '../../scenarios/kit/driver';
import { stopTimers } from './helpers/borrow';
import { useWorld } from './helpers/world';

/** Longer than pages wait before they ask again. In ms. */
const WATCHED = 5000;

interface Globals {
  readonly browser: { readonly extension: { getBackgroundPage(): unknown } };
}

const isAwake = (): boolean =>
  (globalThis as unknown as Globals).browser.extension.getBackgroundPage() !== null;

describe('a browser that waits to be borrowed', () => {
  const world = useWorld('firefox', { idleTimeout: 500 });

  it('lets its background sleep', async () => {
    const { extension } = world;
    const kept = await extension.page();
    const page = await extension.openPage(CONSENT_PAGE);
    await page.evaluate(stopTimers);
    await kept.close();
    await sleep(2000);
    const seen: boolean[] = [];
    const end = Date.now() + WATCHED;
    while (Date.now() < end) {
      seen.push(await page.evaluate(isAwake));
      await sleep(50);
    }
    expect(seen).not.toContain(true);
  });
});
