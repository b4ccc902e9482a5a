import { readFileSync } from 'node:fs';
import type { Page } from 'puppeteer-core';
import { waitFor, type BrowserName } from '../../../scenarios/kit';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** The problems that axe-core finds on a page, in words. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const { axe: engine } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: readonly Violation[] }> };
    };
    return (await engine.run()).violations;
  });
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
  );
}

/** Puppeteer cannot set the scheme in Firefox; the CSS property has the same effect as the person's preference. */
export const inScheme = async (page: Page, scheme: 'light' | 'dark'): Promise<void> => {
  await page.evaluate((wanted) => void (document.documentElement.style.colorScheme = wanted), scheme);
};

/** The schemes to check in this browser: colours are the same in all browsers, and checking takes a while. */
export const schemesIn = (browser: BrowserName): readonly ('light' | 'dark')[] =>
  browser === 'chrome' ? ['light', 'dark'] : ['light'];

/** Windows from the widest to the narrowest; one of 1280 px is 640 px wide at 200 %. */
const WIDTHS = [1920, 1280, 900, 640, 320];

/** What is cut within a word. */
const cutWords = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('body *')]
      .filter(
        (element) => element.matches('th button') || getComputedStyle(element).textOverflow === 'ellipsis',
      )
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ textContent }) => textContent),
  );

/** What axe-core complains of, in each scheme; the widths in which the page would have to be scrolled sideways; and what is cut there. */
export async function problemsOf(page: Page, browser: BrowserName): Promise<readonly string[]> {
  const found: string[] = [];
  for (const scheme of schemesIn(browser)) {
    await inScheme(page, scheme);
    found.push(...(await violations(page)).map((problem) => `${scheme}: ${problem}`));
  }
  for (const width of WIDTHS) {
    await page.setViewport({ width, height: 640 });
    const needed = await page.evaluate(() => document.documentElement.scrollWidth);
    if (needed > width) found.push(`is ${needed} px wide in ${width} px`);
    // The page learns of its new width in its own time.
    await waitFor('whole words', async () => (await cutWords(page)).length === 0).catch(async () =>
      found.push(`cuts ${(await cutWords(page)).join(', ')} in ${width} px`),
    );
  }
  await page.setViewport({ width: 1280, height: 800 });
  return found;
}
