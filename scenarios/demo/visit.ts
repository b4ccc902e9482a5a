import type { Page } from 'puppeteer-core';
import { waitFor } from '../kit';
import { HANG_MS } from '../kit/driver';
import { entryText } from '../kit/entry-text';
import type { World } from './world';

/** The publisher's view ads: one behind a redirect (counts twice), one by a rule. */
const VIEWS = 3;

/** For each wait, because a loaded machine makes the whole visit slow. */
const patient = { timeout: HANG_MS };

export type OnStep = (step: string) => void;

/**
 * Views the ads, clicks one, buys, and turns the clock until every report has left.
 * @param whileWaiting runs after the purchase, while the reports wait for their windows
 * @returns the reports that the collector received, each as one line of JSON
 */
export async function visit(
  world: World,
  onStep: OnStep,
  whileWaiting: () => Promise<void> = () => Promise.resolve(),
): Promise<readonly string[]> {
  const { extension, collector } = world;
  const page = await world.browser.newPage();
  page.setDefaultTimeout(HANG_MS);
  await page.bringToFront();

  onStep('looking at the publisher');
  await page.goto(world.origins.publisher, { waitUntil: 'load' });
  await scrollTo(page, '.house-ad');
  await waitForRegistrations(world, 'source', VIEWS);

  onStep('clicking an ad');
  await clickThrough(page, '#ad-click');
  await waitForRegistrations(world, 'source', VIEWS + 1);

  onStep('buying in the shop');
  await clickThrough(page, '#buy');
  await waitForRegistrations(world, 'trigger', 1);
  const expected = (await extension.waitForReports(1, patient)).length;

  await whileWaiting();

  onStep('turning the clock past the report windows');
  await extension.deliverAll(patient);

  onStep('waiting for the collector');
  const arrived = async (): Promise<readonly string[] | null> => {
    const lines = await collector.reportLines();
    return lines.length >= expected ? lines : null;
  };
  return waitFor(`${expected} reports at the collector`, arrived, patient);
}

/** Scrolls an element to the middle of the window, as a reader does. */
export async function scrollTo(page: Page, selector: string): Promise<void> {
  const element = await page.waitForSelector(selector);
  await element?.evaluate((found) => found.scrollIntoView({ block: 'center', behavior: 'instant' }));
}

/** Clicks something that leads to another page. */
export async function clickThrough(page: Page, selector: string): Promise<void> {
  await scrollTo(page, selector);
  await Promise.all([page.waitForNavigation({ waitUntil: 'load' }), page.click(selector)]);
}

/** Fails at once when the extension refuses a registration, because waiting would not help. */
async function waitForRegistrations(
  { extension }: World,
  kind: 'source' | 'trigger',
  count: number,
): Promise<void> {
  const recorded = async (): Promise<boolean> => {
    const log = await extension.trace();
    const refused = log.find((entry) => entry.kind === 'refused');
    if (refused) throw new Error(`a registration was refused: ${entryText(refused)}`);
    return log.filter((entry) => entry.kind === kind).length >= count;
  };
  await waitFor(`${count} ${kind}s in the log`, recorded, patient).catch(async (error: unknown) => {
    const log = (await extension.trace()).map(entryText).join('; ');
    throw new Error(`${String(error)}. The log has: ${log}`, { cause: error });
  });
}
