import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'puppeteer-core';
import { defaultSettings } from '../../formats/settings/settings';
import { epsilon } from '../../src/model/units';
import { shootDashboard } from './dashboard-screenshots';
import { shootClickToWhy } from './click-to-why';
import { shootConsent } from './consent-screenshots';
import { root } from '../../node/root';
import { seedJourneys } from './journeys';
import { seedRecords } from './records';
import { folder, shoot, shootListing } from './shoot';
import { visit } from './visit';
import { startWorld, type World } from './world';

const HOUR = 3_600_000;

/** Takes the README's pictures of the running demo, and pictures of every view of the extension's pages. */
async function main(): Promise<void> {
  const world = await startWorld({ browser: 'chrome', headless: true, seed: 'cointoss demo' });
  mkdirSync(folder, { recursive: true });
  try {
    const { browser, extension } = world;
    const page = await browser.newPage();
    await visit(
      world,
      () => undefined,
      () => shootPopup(world),
    );
    await shootDashboard(browser, folder);
    await shootReports(page);
    // What the visit spent counts for each publisher of the new unit, too.
    await extension.settings({
      budget: { ...defaultSettings.budget, unit: 'user-publisher', epsilon: epsilon(140), cap: 10 },
    });
    await seedRecords(extension);
    await convertAfterSeveral(extension);
    await shootInternals(world);
    await shootOptions(world);
    await shootListing(world.extension);
    await shootCredits(world);
  } finally {
    await world.close();
  }
  await shootConsent();
  await shootClickToWhy();
}

/** A conversion after impressions on several sites, where attribution models differ. */
async function convertAfterSeveral(extension: World['extension']): Promise<void> {
  const register = (
    as: 'navigation' | 'event' | 'trigger',
    contextOrigin: string,
    header: object,
  ): Promise<unknown> =>
    extension.register(as, header, { contextOrigin, reportingOrigin: 'https://adtech.example' });
  const destination = 'https://garden.example';
  await register('navigation', 'https://news.example', {
    destination,
    source_event_id: '401',
    priority: '5',
  });
  await extension.advance(5 * HOUR);
  await register('event', 'https://blog.example', { destination, source_event_id: '402' });
  await extension.advance(30 * HOUR);
  await register('event', 'https://video.example', { destination, source_event_id: '403' });
  await extension.advance(2 * HOUR);
  await register('trigger', destination, { event_trigger_data: [{ trigger_data: '1' }] });
}

/** The reports of `cointoss learn --demo` and `cointoss compare` in docs/. */
async function shootReports(page: Page): Promise<void> {
  // Chrome takes no picture of a tab behind another.
  await page.bringToFront();
  await page.setViewport({ width: 1360, height: 1500 });
  for (const [report, name] of [
    ['lab-demo', 'lab'],
    ['compare', 'compare'],
  ] as const) {
    await page.goto(pathToFileURL(path.join(root, `docs/${report}.html`)).href);
    await shoot(page, name);
  }
}

async function shootPopup({ extension }: World): Promise<void> {
  const popup = await extension.openPage('pages/popup.html');
  await popup.setViewport({ width: 372, height: 640, deviceScaleFactor: 2 });
  await popup.waitForSelector('#latest');
  await shoot(popup, 'popup', true);
  await popup.close();
}

const firstRow = (page: Page): Promise<string> =>
  page
    .waitForSelector('tr.item')
    .then(async (row) => (await row?.evaluate((found) => found.dataset['id'])) ?? '');

async function shootInternals({ extension }: World): Promise<void> {
  const page = await extension.openPage('pages/internals.html');
  await page.setViewport({ width: 1360, height: 860 });
  const goTo = async (address: string, awaited: string): Promise<void> => {
    await page.evaluate((hash) => (location.hash = hash), address);
    await page.waitForSelector(awaited);
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 500)));
  };
  await page.waitForSelector('.bars, .issues');
  await page.waitForNetworkIdle();
  await shoot(page, 'internals');
  for (const table of ['sources', 'triggers', 'reports', 'refused', 'log']) {
    await goTo(`#/${table}`, 'tr.item');
    await shoot(page, table);
  }
  await goTo('#/triggers?is.exact=trigger-event-deduplicated', 'tr.item');
  await goTo(`#/triggers/${await firstRow(page)}`, '.checks');
  await shoot(page, 'why', true);
  await goTo('#/reports?is.status=sent&is.source=', '#count');
  const source = await mostReported(extension);
  for (const tab of ['timeline', 'states', 'why'] as const) {
    await goTo(`#/sources/${source}/${tab}`, '.card');
    await shoot(page, tab === 'why' ? 'source-why' : tab, true);
  }
  await goTo(`#/sources/${source}`, '.json');
  await shoot(page, 'source', true);
  await goTo('#/reports?is.status=sent', 'tr.item');
  await goTo(`#/reports/${await firstRow(page)}`, '.json');
  await shoot(page, 'report', true);
  await goTo('#/budget', '.budget-account');
  await shoot(page, 'budget');
  await goTo('#/attribution', 'table.models');
  await shoot(page, 'attribution');
  await goTo('#/workbench', ':has(#registration) #suggestions');
  await shoot(page, 'workbench', true);
  await goTo('#/leaves', '.sent');
  await page.$eval('.sent summary', (summary) => summary.click());
  await shoot(page, 'leaves');
  await goTo('#/debug', '#force-state');
  await shoot(page, 'debug', true);
  await goTo('#/data', '#export-state');
  await shoot(page, 'data');
  await page.setViewport({ width: 320, height: 700 });
  await goTo('#/overview', '#pending');
  await shoot(page, 'narrow', true);
  await page.close();
}

/** Last, because its many records would fill the other pictures. */
async function shootCredits({ extension }: World): Promise<void> {
  await seedJourneys(extension);
  const page = await extension.openPage('pages/internals.html#/attribution');
  await page.setViewport({ width: 1360, height: 860 });
  await page.waitForSelector('#learned-credits');
  await page.$eval('#channel-column', (column) => column.closest('.card')?.scrollIntoView());
  await shoot(page, 'credits');
  await page.close();
}

/** The stored source with the most reports to draw. */
async function mostReported(extension: World['extension']): Promise<string> {
  const sources = await extension.sources();
  const found = sources.find(
    ({ registration }) => (registration as { sourceEventId?: string }).sourceEventId === '4711',
  );
  return String(found?.['id'] ?? sources[0]?.['id']);
}

async function shootOptions({ extension }: World): Promise<void> {
  const page = await extension.openPage('pages/options.html');
  await page.setViewport({ width: 1000, height: 900 });
  await page.waitForSelector('.rule');
  await shoot(page, 'options', true);
  await page.close();
}

void main();
