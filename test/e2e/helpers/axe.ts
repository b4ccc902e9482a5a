import { readFileSync } from 'node:fs';
import type { Page } from 'puppeteer-core';
import { waitFor, type BrowserName } from '../../../scenarios/kit';
import { isLong } from './world';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

interface AxeGlobals {
  readonly axe?: {
    run(options: {
      readonly resultTypes: readonly string[];
      readonly runOnly?: readonly string[];
    }): Promise<{ readonly violations: readonly Violation[] }>;
  };
}

const SCHEMES = ['light', 'dark'] as const;
type Scheme = (typeof SCHEMES)[number];

/** The rules of axe-core for which the scheme matters. */
const ABOUT_COLOURS = ['color-contrast', 'link-in-text-block'];

/**
 * The problems that axe-core finds on a page, in words.
 * @param isWhole whether of all rules, and not only of those about colours
 */
export async function violations(
  page: Page,
  scheme: Scheme = 'light',
  isWhole = scheme === 'light',
): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  const rules = isWhole ? {} : { runOnly: ABOUT_COLOURS };
  const found = await page.evaluate(async (only) => {
    const { axe: engine } = globalThis as AxeGlobals;
    // It does not describe each element that passes a rule.
    const result = await engine?.run({ resultTypes: ['violations'], ...only });
    if (result === undefined) throw new Error('axe-core is not in the page');
    return result.violations;
  }, rules);
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
  );
}

/** Puppeteer cannot set the scheme in Firefox; the CSS property has the same effect as the person's preference. */
const inScheme = async (page: Page, scheme: Scheme): Promise<void> => {
  await page.evaluate((wanted) => void (document.documentElement.style.colorScheme = wanted), scheme);
};

/** By the address of a page, how often this file has looked at it. */
const looks = new Map<string, number>();

/**
 * The schemes in which to look at a page: colours are the same in all browsers, and looking takes a while. `npm test` looks at each page once,
 * in the scheme that its address decides, and at its next state in the other one. So about half of the pages are looked at in each scheme,
 * whichever tests run.
 */
export async function schemesFor(page: Page, browser: BrowserName): Promise<readonly Scheme[]> {
  if (browser === 'firefox') return ['light'];
  if (isLong) return SCHEMES;
  const address = await page.evaluate(() => location.pathname + location.hash.replace(/\?.*/, ''));
  // Not what records the test has made.
  const name = address.replaceAll(/\d+/g, '');
  const before = looks.get(name) ?? 0;
  looks.set(name, before + 1);
  const sum = Buffer.from(name).reduce((total, byte) => total + byte, before);
  return SCHEMES.slice(sum % 2, (sum % 2) + 1);
}

/** Windows from the widest to the narrowest; one of 1200 px is 600 px wide at 200 %. */
const WIDTHS = isLong ? [1920, 1360, 1280, 900, 600, 320] : [1280, 320];

/**
 * What is cut now within a word, by its own box or by the edge of what it is scrolled in; words that are broken without a hyphen; and texts
 * that do not end within their card.
 */
const cutWordsNow = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const all = [...document.querySelectorAll<HTMLElement>('body *')].filter((element) =>
      element.checkVisibility(),
    );
    const cut = all
      .filter(
        (element) => element.matches('th button') || getComputedStyle(element).textOverflow === 'ellipsis',
      )
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
    const scrollerOf = (element: HTMLElement): HTMLElement | null => {
      const { parentElement: parent } = element;
      if (parent === null || getComputedStyle(parent).overflowX !== 'visible') return parent;
      return scrollerOf(parent);
    };
    const crossed = all.filter((element) => {
      const scroller = element.matches('th, td:not([colspan])') ? scrollerOf(element) : null;
      if (scroller === null) return false;
      const [cell, edge] = [element.getBoundingClientRect(), scroller.getBoundingClientRect()];
      const start = edge.left + scroller.clientLeft;
      const right = start + scroller.clientWidth;
      // What stays in view covers what is scrolled.
      const stuck = element.matches('.stuck')
        ? []
        : [...(element.parentElement?.querySelectorAll('.stuck') ?? [])];
      const left = Math.max(start, ...stuck.map((one) => one.getBoundingClientRect().right));
      const isCrossedAt = (at: number): boolean => cell.left < at - 1 && cell.right > at + 1;
      return isCrossedAt(left) || isCrossedAt(right);
    });
    // Boxes tell their widths in whole pixels only.
    const links = all.filter((link) => {
      const cell = link.matches('td > a') ? link.parentElement : null;
      if (cell === null) return false;
      const end = cell.getBoundingClientRect().right - parseFloat(getComputedStyle(cell).paddingRight);
      return link.getBoundingClientRect().right > end + 0.05;
    });
    const endsIn = (text: Range, parent: HTMLElement): boolean => {
      const card = parent.closest('.card');
      const isClipped = getComputedStyle(parent).overflowX !== 'visible';
      if (card === null || isClipped || card.contains(scrollerOf(parent))) return true;
      return text.getBoundingClientRect().right <= card.getBoundingClientRect().right;
    };
    const broken: string[] = [];
    const outside: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const parent = text.parentElement;
      // Code and addresses are broken anywhere.
      if (parent === null || parent.closest('code, pre, textarea, svg, .cm-editor, .hops .url') !== null)
        continue;
      if (!parent.checkVisibility()) continue;
      range.selectNodeContents(text);
      if (!endsIn(range, parent)) outside.push(`${text.textContent} (outside its card)`);
      for (const { 0: word, index } of (text.textContent ?? '').matchAll(/\p{L}{2,}/gu)) {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => top);
        if (tops.length > 1 && Math.max(...tops) - Math.min(...tops) > 4) broken.push(`${word} (broken)`);
      }
    }
    return [
      ...[...cut, ...links].map(({ textContent }) => textContent),
      ...crossed.map(({ textContent }) => `${textContent} (at the edge)`),
      ...broken,
      ...outside,
    ];
  });

/** What stays cut. The page learns of its width in its own time. */
export async function cutWords(page: Page): Promise<readonly string[]> {
  let cut: readonly string[] = [];
  const isWhole = async (): Promise<boolean> => (cut = await cutWordsNow(page)).length === 0;
  await waitFor('whole words', isWhole).catch(() => undefined);
  return cut;
}

/** What axe-core complains of, in each scheme to look at, and what does not fit. */
export async function problemsOf(page: Page, browser: BrowserName): Promise<readonly string[]> {
  const found: string[] = [];
  for (const scheme of await schemesFor(page, browser)) found.push(...(await problemsIn(page, scheme)));
  found.push(...(await sidewaysProblemsOf(page)));
  return found;
}

/** In the long form, another look in a light scheme finds what is not about colours. */
export async function problemsIn(page: Page, scheme: Scheme): Promise<readonly string[]> {
  await inScheme(page, scheme);
  const found = await violations(page, scheme, scheme === 'light' || !isLong);
  return found.map((problem) => `${scheme}: ${problem}`);
}

/** How wide the page is, once a frame has arranged its tables: a person sees none before. A tab in the background gets no frames. */
export const neededWidth = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const frame = (): Promise<unknown> =>
      new Promise((resolve) => {
        requestAnimationFrame(resolve);
        setTimeout(resolve, 500);
      });
    await frame();
    await frame();
    return document.documentElement.scrollWidth;
  });

/** The widths in which a page would have to be scrolled sideways, and what is cut there. */
export async function sidewaysProblemsOf(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewport({ width, height: 640 });
    const needed = await neededWidth(page);
    if (needed > width) found.push(`is ${needed} px wide in ${width} px`);
    const cut = await cutWords(page);
    if (cut.length > 0) found.push(`cuts ${cut.join(', ')} in ${width} px`);
  }
  await page.setViewport({ width: 1280, height: 800 });
  return found;
}
