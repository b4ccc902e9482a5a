import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import puppeteer, { type Browser } from 'puppeteer-core';
import { browserOptions } from '../scenarios/kit/launch';

const folder = path.resolve(__dirname, '../dist/site');
const RUNS = 5;
const SLOWDOWN = 4;
const types: Readonly<Record<string, string>> = { '.css': 'text/css', '.html': 'text/html' };

/** Measures the site of `npm run site` in Chrome, slowed down, with nothing kept from an earlier visit: the time to what can be used. */
export async function benchSite(): Promise<void> {
  if (!existsSync(path.join(folder, 'index.html'))) {
    process.stderr.write('bench: there is no dist/site; npm run site first\n');
    process.exitCode = 2;
    return;
  }
  const server = createServer(({ url = '/' }, response) => {
    const file = path.join(folder, url === '/' ? 'index.html' : url);
    if (!existsSync(file)) return void response.writeHead(404).end();
    const type = types[path.extname(file)] ?? 'text/javascript';
    response.writeHead(200, { 'Content-Type': type }).end(readFileSync(file));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://localhost:${(server.address() as AddressInfo).port}/`;
  const browser = await puppeteer.launch(browserOptions({ browser: 'chrome' }));
  try {
    // The browser itself starts with the first page.
    await visit(browser, address, '.lead');
    for (const [title, hash, awaited] of [
      ['start page', '', '.lead'],
      [
        'workbench, its figures and its plain field',
        '#/workbench',
        ':has(#figure-states) #registration-plain',
      ],
      ['workbench, completion in its field', '#/workbench', '#registration'],
    ] as const) {
      const visits: Visit[] = [];
      for (let run = 0; run < RUNS; run++) visits.push(await visit(browser, address + hash, awaited));
      const shown = (of: (visit: Visit) => number): string =>
        `${Math.round(Math.min(...visits.map(of)))} to ${Math.round(Math.max(...visits.map(of)))} ms`;
      console.log(
        `site, ${title}: there after ${shown(({ there }) => there)} at ${SLOWDOWN} × CPU throttling, ` +
          `when its main thread has run for ${shown(({ ran }) => ran)}`,
      );
    }
  } finally {
    await browser.close();
    server.close();
  }
}

/** In milliseconds. */
interface Visit {
  readonly there: number;
  readonly ran: number;
}

/** Resolves once the element is painted and the page can take an event. Puppeteer's own waiting would run in the page, slowed down, too. */
const whenPainted = (selector: string): string => `
  globalThis.painted = new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(performance.now());
    const observer = new MutationObserver(() => {
      if (document.querySelector(${JSON.stringify(selector)}) === null) return;
      observer.disconnect();
      requestAnimationFrame(() => port2.postMessage(null));
    });
    observer.observe(document, { childList: true, subtree: true });
  });`;

async function visit(browser: Browser, address: string, awaited: string): Promise<Visit> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const client = await page.createCDPSession();
  // Of the processor, whatever else the machine does.
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  await client.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  await page.evaluateOnNewDocument(whenPainted(awaited));
  await page.goto(address, { waitUntil: 'domcontentloaded', timeout: 0 });
  const there = Number(await page.evaluate('painted'));
  const { metrics } = await client.send('Performance.getMetrics');
  const ran = (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN) * 1000;
  await context.close();
  return { there, ran };
}
