import puppeteer, { type Browser, type Page } from 'puppeteer';
import { launch, serveSites, type BrowserName } from '../scenarios/kit';
import { browserOptions } from '../scenarios/kit/launch';
import { median } from './measure';

const IMAGES = 1000;
const LINKS = 200;
const CLICKS = 20;
/** An odd number, for the median. */
const VISITS = 31;

interface Cost {
  /** Milliseconds from the start of the navigation to the end of `load`. */
  readonly load: number;
  /** Milliseconds from a click to the end of all that it runs on the page. */
  readonly click: number;
}

/** Some elements register, as on a page with advertisements. */
const body = (image: string): string => {
  const images = Array.from(
    { length: IMAGES },
    (_, index) =>
      `<img width="10" height="10" src="${image}?${index}"${index % 100 === 0 ? ' attributionsrc' : ''}>`,
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

/** Load and clicks of a page with 1,000 images and 200 links, with Cointoss and without, in turns. */
export async function benchPageCost(): Promise<void> {
  const sites = await serveSites();
  try {
    const url = sites.page('news', body(sites.pixel('cdn')));
    for (const browser of ['chrome', 'firefox'] as const) await compareIn(browser, url);
  } finally {
    await sites.close();
  }
}

async function compareIn(name: BrowserName, url: string): Promise<void> {
  const launched = await launch({ browser: name });
  const bare = await puppeteer.launch(browserOptions({ browser: name }));
  try {
    const [withIt, without]: [Cost[], Cost[]] = [[], []];
    // The first visit of each warms up.
    for (let turn = 0; turn <= VISITS; turn++) {
      const order = [
        () => visit(launched.browser, url).then((cost) => withIt.push(cost)),
        () => visit(bare, url).then((cost) => without.push(cost)),
      ];
      for (const one of turn % 2 === 0 ? order : order.reverse()) await one();
    }
    for (const what of ['load', 'click'] as const) {
      const [mine, theirs] = [withIt, without].map((costs) => costs.slice(1).map((cost) => cost[what]));
      // Of pairs, because a machine slows down for minutes.
      const ratio = median((mine ?? []).map((value, index) => value / (theirs?.[index] ?? NaN)));
      console.log(
        `${name}, ${what}: ${median(mine ?? []).toFixed(1)} ms with Cointoss, ${median(theirs ?? []).toFixed(1)} ms without, ` +
          `${ratio.toFixed(3)} times`,
      );
    }
  } finally {
    await launched.close();
    await bare.close();
  }
}
