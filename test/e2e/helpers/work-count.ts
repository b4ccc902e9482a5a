import type { Page } from 'puppeteer-core';

/** To launch a browser with, in which work can be counted: V8 counts nothing of what it has optimized. */
export const counted = { puppeteer: { args: ['--js-flags=--no-opt --no-maglev'] } };

/**
 * Counts what the extension's scripts do in a page in Chrome: how often each of their blocks runs. The machine's speed changes nothing of
 * it. Loads the page anew, because what has run already would not be counted.
 * @returns how often blocks have run since the call before
 */
export async function workCounter(page: Page): Promise<() => Promise<number>> {
  const session = await page.createCDPSession();
  await session.send('Profiler.enable');
  await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  await page.reload();
  return async () => {
    const { result } = await session.send('Profiler.takePreciseCoverage');
    const own = result.filter(({ url }) => url.startsWith('chrome-extension:'));
    const blocks = own.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges));
    return blocks.reduce((sum, { count }) => sum + count, 0);
  };
}
