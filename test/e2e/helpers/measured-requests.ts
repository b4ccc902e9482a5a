import type { Page } from 'puppeteer-core';
import { siteOfUrl } from '../../../src/model/site';
import { catchDownloads, fill, press, shows } from './internals';
import type { Work, WorkCounter } from './work-count';
import type { World } from './world';

/** Preact searches the rows that were there for each new one. There are at most `MOST_HOPS`, so these are 2 million comparisons. */
const SEARCH_OF_ROWS = 'node_modules/preact/src/diff/children.js:';

type CounterOf = (page: Page) => Promise<WorkCounter>;

/**
 * Lists the requests of one site, as the developer tools do, half of them redirects of the others, then searches, opens and saves them.
 * Their arrival is not measured: each event goes over at most `MOST_HOPS`.
 */
export async function measureRequests(
  world: World,
  counterOf: CounterOf,
): Promise<(n: number) => Promise<Work>> {
  const { extension, sites } = world;
  const asking = await world.open('publisher', '<p>asks</p>');
  const url = sites.serve('publisher', '/again', {
    status: 302,
    headers: { Location: sites.page('publisher', '') },
  });
  const site = String(siteOfUrl(sites.origin('publisher')));
  const page = await extension.page();
  await page.goto(new URL(`internals.html?site=${encodeURIComponent(site)}#/requests`, page.url()).href);
  await page.bringToFront();
  const counter = await counterOf(page);
  // Clearing forgets what is listed, so the request for the page itself must be.
  await page.waitForSelector('#which');
  await fill(page, '#which', 'all');
  await page.waitForSelector('.hop');
  return async (n) => {
    await press(page, '#clear');
    await fill(page, '#which', 'all');
    await asking.evaluate(
      async (asked, times) => {
        for (let i = 0; i < times; i++) await (await fetch(asked, { cache: 'no-store' })).text();
      },
      url,
      n / 2,
    );
    await shows(page, '#count', new RegExp(` ${n} `));
    await counter.take();
    for (const which of ['nothing', 'all']) await fill(page, '#which', which);
    await fill(page, '#search', 'again');
    await fill(page, '#search', '');
    await press(page, '.hop');
    await page.waitForSelector('#eligible');
    const downloads = await catchDownloads(page);
    await press(page, '#har');
    await downloads.next();
    await downloads.end();
    const work = await counter.take();
    return new Map([...work].filter(([, { name }]) => !name.startsWith(SEARCH_OF_ROWS)));
  };
}
