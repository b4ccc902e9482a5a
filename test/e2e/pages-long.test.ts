import type { Page } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import { growthBetween } from '../unit/helpers/costs/measure';
import { goTo } from './helpers/internals';
import { source } from './helpers/registrations';
import { threadClock } from './helpers/thread-clock';
import { isLong, useWorld } from './helpers/world';

interface Amount {
  readonly rows: number;
  /** In characters, of each row's header. */
  readonly length: number;
}

/** Runs in the page: replaces the log by copies of one entry, whose headers are so long. */
async function fillLog({ rows, length }: Amount): Promise<void> {
  interface Stored {
    readonly id: number;
    readonly row: { readonly header: string };
  }
  const done = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(new Error(String(request.error)));
    });
  const database = await done(indexedDB.open('cointoss'));
  const transaction = database.transaction('log', 'readwrite');
  const log = transaction.objectStore('log');
  const [model] = (await done(log.getAll(null, 1))) as Stored[];
  if (model === undefined) throw new Error('the log is empty');
  const header = `${model.row.header.slice(0, -1)},"long":"${'<&"x '.repeat(length / 5).replaceAll('"', "'")}"}`;
  log.clear();
  for (let index = 0; index < rows; index++) {
    const id = 10_000 + index;
    log.put({ ...model, id, row: { ...model.row, id, header } });
  }
  await new Promise((resolve) => (transaction.oncomplete = resolve));
  database.close();
}

// What a page does with values is for our own code to decide, and only Chrome tells the processor time of its main thread.
describe('the log takes at most 3 times as long to show, search and explain if there is twice as much of it', () => {
  const world = useWorld('chrome');

  /** In ms: until the log is there, searched, and one of its entries explained. The page must answer meanwhile. */
  const timeOf = async (page: Page, amount: Amount): Promise<number> => {
    await goTo(page, '#/overview');
    await page.evaluate(fillLog, amount);
    const since = await threadClock(page);
    await goTo(page, '#/log');
    const all = amount.rows.toLocaleString('en');
    await waitFor('all rows', () =>
      page.$eval('#count', ({ textContent }, count) => textContent.startsWith(count), all).catch(() => false),
    );
    await page.$eval('#search', (field) => {
      (field as HTMLInputElement).value = 'not there';
      field.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await waitFor('the search', () =>
      page
        .$eval('#count', ({ textContent }, count) => !textContent.startsWith(count), all)
        .catch(() => false),
    );
    await goTo(page, '#/log/10000');
    await page.waitForSelector('#why-sentence');
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    );
    return since();
  };

  it.each([
    // The log keeps no more than 24 MB, and of a header no more than 128 KiB.
    ['rows', { from: 500, to: 8000 }, (rows: number) => ({ rows, length: 1000 })],
    [
      'characters in each of 150 headers',
      { from: 2000, to: 128_000 },
      (length: number) => ({ rows: 150, length }),
    ],
    ['characters in one header', { from: 32_000, to: 2_048_000 }, (length: number) => ({ rows: 1, length })],
  ])('%s', async (_what, { from, to }, amountOf) => {
    const headers = source(1, world.sites.origin('shop'));
    await world.open(
      'publisher',
      `<img attributionsrc="${world.sites.serve('adtech', '/ad', { headers })}">`,
    );
    await world.waitForRecorded(1);
    const page = await world.extension.page();
    await page.bringToFront();
    const largest = isLong ? to : to / 4;
    expect(await growthBetween((size) => timeOf(page, amountOf(size)), from, largest)).toBeNull();
  });
});
