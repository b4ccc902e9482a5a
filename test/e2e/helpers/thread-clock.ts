import type { Page } from 'puppeteer-core';

/** Starts to count the processor time of a page's main thread in Chrome. @returns what has passed since, in ms */
export async function threadClock(page: Page): Promise<() => Promise<number>> {
  const session = await page.createCDPSession();
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const now = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    const time = metrics.find(({ name }) => name === 'ThreadTime')?.value;
    if (time === undefined) throw new Error('Chrome tells no processor time');
    return 1000 * time;
  };
  const start = await now();
  return async () => {
    const passed = (await now()) - start;
    await session.detach();
    return passed;
  };
}
