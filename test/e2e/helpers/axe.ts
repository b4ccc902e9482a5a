import { readFileSync } from 'node:fs';
import type { Page } from 'puppeteer';
import type { BrowserName } from '../../../scenarios/kit';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe-core finds wrong with a page, in words. */
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

/** Firefox cannot be told through puppeteer; the property decides just as the person's preference does. */
export const inScheme = async (page: Page, scheme: 'light' | 'dark'): Promise<void> => {
  await page.evaluate((wanted) => void (document.documentElement.style.colorScheme = wanted), scheme);
};

/** What is looked at in a browser: by which colours there are, no two browsers differ, and looking takes a while. */
export const schemesIn = (browser: BrowserName): readonly ('light' | 'dark')[] =>
  browser === 'chrome' ? ['light', 'dark'] : ['light'];
