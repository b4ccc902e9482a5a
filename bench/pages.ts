import type { Page } from 'puppeteer-core';
import { launch, waitFor } from '../scenarios/kit';

const ROWS = 100_000;
const CHUNK = 2000;
/** Each search has a different number of results from the one before, so the measurement can tell when the page has answered. */
const SEARCHES = ['4242', 'shop7', 'event', 'nothing at all', 'shop12'];

/**
 * Measures the internals page in Chrome with 100,000 sources and as many reports: time to the first rows, time to all rows, search time,
 * and memory.
 */
export async function benchPages(): Promise<void> {
  const launched = await launch({ browser: 'chrome' });
  const { browser, extension } = launched;
  try {
    const page = await extension.page();
    // The engine makes one of each; the rows are then copied.
    await extension.settings({
      debug: { enabled: true, noise: false, delay: true, seed: null, debugReports: false },
    });
    const reportingOrigin = 'https://adtech.example';
    const source = { destination: 'https://shop.example' };
    await extension.register('navigation', source, {
      contextOrigin: 'https://news.example',
      reportingOrigin,
    });
    const trigger = { event_trigger_data: [{}] };
    await extension.register('trigger', trigger, { contextOrigin: 'https://shop.example', reportingOrigin });
    await multiply(page);
    for (const [name, title] of [
      ['sources', 'sources'],
      ['reports', 'reports'],
    ] as const) {
      const tab = await browser.newPage();
      const start = performance.now();
      await tab.goto(`${page.url().split('#')[0] ?? ''}#/${name}`, { waitUntil: 'domcontentloaded' });
      await tab.waitForSelector('tr.item');
      const first = performance.now() - start;
      const reading = await complete(tab, start);
      const answers = await searches(tab);
      const scroll = await scrolling(tab);
      const heap = await tab.evaluate(() => (performance as unknown as Memory).memory.usedJSHeapSize);
      console.log(
        `internals page, ${ROWS} ${title}: first rows ${ms(first)}, all read ${ms(reading)}, ` +
          `search answered in ${ms(Math.max(...answers))} at most, a page of scrolling drawn in ${ms(scroll)}, ` +
          `${Math.round(heap / 1e6)} MB of memory`,
      );
      await tab.close();
    }
  } finally {
    await launched.close();
  }
}

interface Memory {
  readonly memory: { readonly usedJSHeapSize: number };
}

const ms = (time: number): string => `${Math.round(time)} ms`;

/** Writes copies of the source and the report, each slightly different, straight into the database. */
async function multiply(page: Page): Promise<void> {
  // tsx wraps named functions in a helper that does not exist in the page.
  await page.evaluate('globalThis.__name = (named) => named');
  for (const table of ['sources', 'reports'])
    for (let start = 0; start < ROWS; start += CHUNK) {
      await page.evaluate(writeCopies, table, start, Math.min(ROWS, start + CHUNK));
      progress(`${table}: ${start + CHUNK} of ${ROWS} written`);
    }
  progress('');
}

const progress = (words: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${words}`);
};

/** Runs in the page. */
async function writeCopies(table: string, first: number, end: number): Promise<void> {
  interface Stored {
    id: number;
    row: Record<string, unknown> & { registration?: object; body?: object; event?: object };
    keys: object;
  }
  const request = <T>(asked: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => reject(asked.error ?? new Error('the database failed'));
    });
  const database = await request(indexedDB.open('cointoss'));
  const transaction = database.transaction(table, 'readwrite', { durability: 'relaxed' });
  const store = transaction.objectStore(table);
  const [model] = (await request(store.getAll(null, 1))) as Stored[];
  if (model === undefined) throw new Error(`there is nothing in ${table}`);
  for (let index = first; index < end; index++) {
    const id = 1000 + 2 * index + (table === 'reports' ? 1 : 0);
    const shop = `https://shop${index % 50}.example`;
    const row = {
      ...model.row,
      id,
      sourceType: index % 3 === 0 ? 'event' : 'navigation',
      sourceOrigin: `https://blog${index % 200}.example`,
      time: Date.now() - index * 1000,
      registration: { ...model.row.registration, sourceEventId: BigInt(index), destinations: [shop] },
      nextAttempt: Date.now() + 1e9 + index,
      body: { ...model.row.body, source_event_id: String(index), attribution_destination: shop },
      event: { ...model.row.event, destinations: [shop], sourceId: 1000 + 2 * index },
    };
    store.put({ ...model, id, row });
  }
  await new Promise((resolve) => (transaction.oncomplete = resolve));
  database.close();
}

async function complete(tab: Page, start: number): Promise<number> {
  await waitFor(
    'all rows to be read',
    () =>
      tab.$eval(
        '#count',
        ({ textContent }, all) => textContent.startsWith(all),
        (ROWS + 1).toLocaleString('en'),
      ),
    { timeout: 120_000 },
  );
  return performance.now() - start;
}

/** Milliseconds from the keystroke until the results are painted. */
async function searches(tab: Page): Promise<number[]> {
  const times: number[] = [];
  for (const text of SEARCHES) {
    times.push(
      await tab.evaluate(async (query) => {
        const field = document.querySelector<HTMLInputElement>('#search');
        const count = document.querySelector('#count');
        if (field === null || count === null) throw new Error('there is no search');
        const before = count.textContent;
        const begin = performance.now();
        field.value = query;
        field.dispatchEvent(new Event('input', { bubbles: true }));
        for (let frame = 0; document.querySelector('#count')?.textContent === before; frame++) {
          if (frame > 1000) throw new Error(`"${query}" changed nothing: ${before}`);
          await new Promise((resolve) => requestAnimationFrame(resolve));
        }
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        return performance.now() - begin;
      }, text),
    );
  }
  return times;
}

async function scrolling(tab: Page): Promise<number> {
  await tab.$eval('#search', (field) => {
    (field as HTMLInputElement).value = '';
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await tab.waitForSelector('.table-scroll');
  return tab.evaluate(async () => {
    const scroller = document.querySelector('.table-scroll');
    let worst = 0;
    for (let step = 1; step <= 30; step++) {
      const begin = performance.now();
      if (scroller !== null) scroller.scrollTop = step * 100_000;
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      worst = Math.max(worst, performance.now() - begin);
    }
    return worst;
  });
}
