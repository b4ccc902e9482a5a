import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { epsilon } from '../src/model/units';
import { launch, type BrowserName, type Extension } from '../scenarios/kit';
import { browserOptions } from '../scenarios/kit/launch';
import { writeEmptyExtension } from './empty-extension';
import { median, medianInterval } from './measure';
import { isCounted, processorTimes, usedBetween, type ProcessorTimes } from './processor-time';

const IMAGES = 1000;
const LINKS = 200;
/** Odd numbers, for the median. */
const CLICKS = 21;
const VISITS = 9;
/** The fewest with an interval for their median. */
const FEWEST_VISITS = 7;
const BROWSERS = ['chrome', 'firefox'] as const;
/** In ms: with much else to do, a machine takes long. */
const PAGE_TIMEOUT = 300_000;

/** In milliseconds. */
interface Cost {
  /** From the start of the navigation to the end of `load`. */
  readonly load: number;
  /** Processor time of all of the browser's processes meanwhile; not a number where the system does not tell. */
  readonly processor: number;
  /** From a click until the page has run all that it causes. */
  readonly click: number;
  /** From a click until the browser shows the next picture: what a person waits for. */
  readonly picture: number;
}

/** Some elements register, as on a page with advertisements. */
const html = (): string => {
  const images = Array.from(
    { length: IMAGES },
    (_, index) =>
      `<img width="10" height="10" src="/image/${index}"${index % 100 === 0 ? ' attributionsrc' : ''}>`,
  );
  const links = Array.from(
    { length: LINKS },
    (_, index) => `<a href="/${index}"${index % 20 === 0 ? ' attributionsrc' : ''}>link ${index}</a>`,
  );
  return `${links.join(' ')}<div>${images.join('')}</div><script>
    globalThis.clicks = [];
    addEventListener('click', (event) => {
      event.preventDefault();
      const since = () => performance.now() - event.timeStamp;
      const click = {};
      setTimeout(() => (click.click = since()));
      requestAnimationFrame(() => setTimeout(() => clicks.push({ ...click, picture: since() })));
    });
  </script>`;
};

async function visit(browser: Browser, url: string): Promise<Cost> {
  const page = await browser.newPage();
  page.setDefaultTimeout(PAGE_TIMEOUT);
  try {
    await page.bringToFront();
    const counted = (): ProcessorTimes => processorTimes(browser.process()?.pid ?? NaN);
    const before = counted();
    await page.goto(url, { waitUntil: 'load' });
    // `loadEventEnd` is set after the event.
    await page.waitForFunction('performance.getEntriesByType("navigation")[0].loadEventEnd > 0');
    const processor = isCounted ? usedBetween(before, counted()) : NaN;
    const load = (await page.evaluate(
      'performance.getEntriesByType("navigation")[0].loadEventEnd',
    )) as number;
    return { load, processor, ...(await clicks(page)) };
  } finally {
    await page.close();
  }
}

/** Clicks of a person, one after the other. The first one warms up. */
async function clicks(page: Page): Promise<Pick<Cost, 'click' | 'picture'>> {
  const links = await page.$$('a');
  for (const [index, link] of links.slice(0, CLICKS + 1).entries()) {
    await link.click();
    await page.waitForFunction(`clicks.length > ${index}`);
  }
  const all = (await page.evaluate('clicks.slice(1)')) as Pick<Cost, 'click' | 'picture'>[];
  return { click: median(all.map(({ click }) => click)), picture: median(all.map(({ picture }) => picture)) };
}

async function serve(): Promise<Server> {
  const pixel = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAAC', 'base64');
  const server = createServer((request, response) => {
    if (request.url === '/page') response.setHeader('Content-Type', 'text/html').end(html());
    else response.setHeader('Content-Type', 'image/gif').end(pixel);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/**
 * Load and clicks of a page with 1,000 images and 200 links: with Cointoss, also with W3C Attribution or a lift test switched on, with an empty
 * extension in its place, and with none. `npm run bench -- page-cost 9 chrome` visits it so often, in this browser.
 */
export async function benchPageCost(visits = VISITS, words: readonly string[] = BROWSERS): Promise<void> {
  if (visits < FEWEST_VISITS || visits % 2 === 0)
    throw new Error(
      `page-cost: ${visits} visits have no median with an interval: give an odd number from ${FEWEST_VISITS}`,
    );
  const server = await serve();
  console.log('| | without | empty extension | Cointoss | with W3C Attribution | with a lift test |');
  try {
    for (const name of BROWSERS.filter((one) => words.length === 0 || words.includes(one)))
      await compareIn(name, visits, `http://localhost:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function compareIn(name: BrowserName, visits: number, origin: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-empty-'));
  await writeEmptyExtension(folder, name);
  // Firefox's clock would show whole milliseconds to pages.
  const options = {
    browser: name,
    puppeteer: { extraPrefsFirefox: { 'privacy.reduceTimerPrecision': false } },
  } as const;
  const bare = (): Promise<Browser> => puppeteer.launch(browserOptions(options));
  const contenders: Record<string, Browser> = {
    'without extension': await bare(),
    'empty extension': await bare(),
    'with Cointoss': (await launch(options)).browser,
    'with W3C Attribution': await launchWith(options, () => ({ w3cAttribution: true })),
    'with a lift test': await launchWith(options, withLiftTest),
  };
  await contenders['empty extension']?.installExtension(folder);
  try {
    const costs = Object.fromEntries(Object.keys(contenders).map((contender) => [contender, [] as Cost[]]));
    // In turns, because a machine slows down for minutes. The first visits warm up.
    for (let turn = 0; turn <= visits; turn++)
      for (const [contender, browser] of Object.entries(contenders)) {
        // Firefox may still replace its first tab.
        const cost = await (turn > 0
          ? visit(browser, `${origin}/page`)
          : visit(browser, `${origin}/page`).catch(() => null));
        if (turn > 0 && cost !== null) costs[contender]?.push(cost);
      }
    for (const [what, title] of Object.entries(titles) as [keyof Cost, string][])
      show(`${title}, ${name}`, costs, what);
  } finally {
    for (const browser of Object.values(contenders)) await browser.close();
    await rm(folder, { recursive: true });
  }
}

type Settings = Awaited<ReturnType<Extension['settings']>>;

async function launchWith(
  options: Parameters<typeof launch>[0],
  changeOf: (settings: Settings) => Partial<Pick<Settings, 'w3cAttribution' | 'liftTest' | 'budget'>>,
): Promise<Browser> {
  const { browser, extension } = await launch(options);
  await extension.settings(changeOf(await extension.settings()));
  return browser;
}

const withLiftTest = ({ budget }: Settings): Pick<Settings, 'liftTest' | 'budget'> => ({
  liftTest: { campaign: 'campaign', holdout: 0.5 },
  budget: { ...budget, unit: 'user-advertiser', epsilon: epsilon(4), cap: 4 },
});

const titles: Readonly<Record<keyof Cost, string>> = {
  load: 'load',
  processor: 'processor time of the load',
  click: 'click',
  picture: 'click to picture',
};

/** A row of the table in docs/page-cost.md: how often as long as without extension, as the median of the turns and its 95 % interval. */
function show(title: string, costs: Readonly<Record<string, readonly Cost[]>>, what: keyof Cost): void {
  const [base = [], ...others] = Object.values(costs);
  const ratios = others.map((all) => {
    const each = all.map((cost, index) => cost[what] / (base[index]?.[what] ?? NaN));
    const [ratio, from, to] = [median(each), ...medianInterval(each)].map((value) => value.toFixed(2));
    return `${ratio} (${from} to ${to})`;
  });
  console.log(
    `| ${[title, `${median(base.map((cost) => cost[what])).toFixed(1)} ms`, ...ratios].join(' | ')} |`,
  );
}
