import { readFileSync } from 'node:fs';
import type { Page } from 'puppeteer-core';
import type { BrowserName } from '../../../scenarios/kit';

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
