import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { launch, type BrowserName } from '../scenarios/kit';
import { browserOptions } from '../scenarios/kit/launch';
import { median } from './measure';

const IMAGES = 1000;
const LINKS = 200;
const CLICKS = 20;
/** An odd number, for the median. */
const VISITS = 9;
/** In ms: what a server takes to answer for an image. */
const LATENCIES = [0, 30];

interface Cost {
  /** Milliseconds from the start of the navigation to the end of `load`. */
  readonly load: number;
  /** Milliseconds from a click to the end of all that it runs on the page. */
  readonly click: number;
}

/** Some elements register, as on a page with advertisements. */
const html = (latency: number): string => {
  const images = Array.from(
    { length: IMAGES },
    (_, index) =>
      `<img width="10" height="10" src="/image/${latency}/${index}"${index % 100 === 0 ? ' attributionsrc' : ''}>`,
  );
  const links = Array.from(
    { length: LINKS },
    (_, index) => `<a href="/${index}"${index % 20 === 0 ? ' attributionsrc' : ''}>link ${index}</a>`,
  );
  return `${links.join(' ')}<div>${images.join('')}</div><script>
    globalThis.clicks = [];
    addEventListener('click', (event) => {
      event.preventDefault();
      setTimeout(() => clicks.push(performance.now() - event.timeStamp));
    });
  </script>`;
};

async function visit(browser: Browser, url: string): Promise<Cost> {
  const page = await browser.newPage();
  try {
    await page.bringToFront();
    await page.goto(url, { waitUntil: 'load' });
    // `loadEventEnd` is set after the event.
    await page.waitForFunction('performance.getEntriesByType("navigation")[0].loadEventEnd > 0');
    const load = (await page.evaluate(
      'performance.getEntriesByType("navigation")[0].loadEventEnd',
    )) as number;
    return { load, click: median(await clicks(page)) };
  } finally {
    await page.close();
  }
}

async function clicks(page: Page): Promise<readonly number[]> {
  const links = await page.$$('a');
  for (const link of links.slice(0, CLICKS + 1)) await link.click();
  await page.waitForFunction(`clicks.length > ${CLICKS}`);
  return (await page.evaluate('clicks')) as number[];
}

/** An extension that does nothing but see the headers of all responses, which costs time in every browser. */
async function writeObserver(folder: string, name: BrowserName): Promise<void> {
  const background = name === 'chrome' ? { service_worker: 'observer.js' } : { scripts: ['observer.js'] };
  const manifest = {
    manifest_version: 3,
    name: 'Observer',
    version: '1',
    permissions: ['webRequest'],
    host_permissions: ['<all_urls>'],
    background,
    browser_specific_settings: { gecko: { id: 'observer@cointoss.example' } },
  };
  await writeFile(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
  await writeFile(
    path.join(folder, 'observer.js'),
    `(globalThis.browser ?? chrome).webRequest.onHeadersReceived.addListener(() => undefined, { urls: ['<all_urls>'] }, ['responseHeaders']);`,
  );
}

async function serve(): Promise<Server> {
  const pixel = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAAC', 'base64');
  const server = createServer((request, response) => {
    const [, kind, latency] = (request.url ?? '').split('/');
    if (kind === 'page') response.setHeader('Content-Type', 'text/html').end(html(Number(latency)));
    else void sleep(Number(latency)).then(() => response.setHeader('Content-Type', 'image/gif').end(pixel));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** Load and clicks of a page with 1,000 images and 200 links: with Cointoss, with an extension that only sees headers, and with none. */
export async function benchPageCost(): Promise<void> {
  const server = await serve();
  try {
    for (const name of ['chrome', 'firefox'] as const)
      await compareIn(name, `http://localhost:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function compareIn(name: BrowserName, origin: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-observer-'));
  await writeObserver(folder, name);
  // Firefox's clock would show whole milliseconds to pages.
  const options = {
    browser: name,
    puppeteer: { extraPrefsFirefox: { 'privacy.reduceTimerPrecision': false } },
  } as const;
  const bare = (): Promise<Browser> => puppeteer.launch(browserOptions(options));
  const contenders: Record<string, Browser> = {
    'without extension': await bare(),
    'only observed': await bare(),
    'with Cointoss': (await launch(options)).browser,
  };
  await contenders['only observed']?.installExtension(folder);
  try {
    for (const latency of LATENCIES) {
      const url = `${origin}/page/${latency}`;
      const costs = Object.fromEntries(Object.keys(contenders).map((contender) => [contender, [] as Cost[]]));
      // In turns, because a machine slows down for minutes. The first visits warm up.
      for (let turn = 0; turn <= VISITS; turn++)
        for (const [contender, browser] of Object.entries(contenders)) {
          // Firefox may still replace its first tab.
          const cost = await (turn > 0 ? visit(browser, url) : visit(browser, url).catch(() => null));
          if (turn > 0 && cost !== null) costs[contender]?.push(cost);
        }
      for (const what of ['load', 'click'] as const)
        show(`${name}, images after ${latency} ms, ${what}`, costs, what);
    }
  } finally {
    for (const browser of Object.values(contenders)) await browser.close();
    await rm(folder, { recursive: true });
  }
}

function show(title: string, costs: Readonly<Record<string, readonly Cost[]>>, what: keyof Cost): void {
  const [base = []] = Object.values(costs);
  const parts = Object.entries(costs).map(([contender, all]) => {
    const ratio = median(all.map((cost, index) => cost[what] / (base[index]?.[what] ?? NaN)));
    return `${contender} ${median(all.map((cost) => cost[what])).toFixed(1)} ms (${ratio.toFixed(3)})`;
  });
  console.log(`${title}: ${parts.join(', ')}`);
}
